package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// nodeScript stands beside this file; `go run -C bench .` and the tests both run in its folder.
const nodeScript = "node/bench.mjs"

// nodeProcess holds the texts of some sets and is driven a line at a time, so that its measurements interleave with
// the others'.
type nodeProcess struct {
	command *exec.Cmd
	input   io.WriteCloser
	output  *bufio.Reader
	folder  string
	index   map[*set]int
}

// startNode hands the sets over as files.
func startNode(sets []*set) (*nodeProcess, error) {
	folder, err := os.MkdirTemp("", "columntypes-bench-")
	if err != nil {
		return nil, err
	}
	p := &nodeProcess{folder: folder, index: map[*set]int{}}
	if err := p.start(sets); err != nil {
		return nil, errors.Join(err, os.RemoveAll(folder))
	}
	return p, nil
}

func (p *nodeProcess) start(sets []*set) error {
	columns, err := json.Marshal(declared)
	if err != nil {
		return err
	}
	arguments := []string{nodeScript}
	write := func(name string, content []byte) error {
		path := filepath.Join(p.folder, name)
		arguments = append(arguments, path)
		return os.WriteFile(path, content, 0o600)
	}
	if err := errors.Join(write("columns.json", columns), write("schema.json", jsonSchema())); err != nil {
		return err
	}
	for i, s := range sets {
		p.index[s] = i
		if err := write(fmt.Sprintf("%d.json", i), s.text); err != nil {
			return err
		}
	}
	p.command = exec.Command("node", arguments...)
	p.command.Stderr = os.Stderr
	if p.input, err = p.command.StdinPipe(); err != nil {
		return err
	}
	output, err := p.command.StdoutPipe()
	if err != nil {
		return err
	}
	p.output = bufio.NewReader(output)
	return p.command.Start()
}

// nodeReply is any answer of the script.
type nodeReply struct {
	Nanoseconds float64 `json:"ns"`
	Pass        bool    `json:"pass"`
	Offenders   int     `json:"offenders"`
	Error       string  `json:"error"`
	Node        string  `json:"node"`
	Ajv         string  `json:"ajv"`
}

func (p *nodeProcess) ask(contender string, set, runs int) (reply nodeReply, err error) {
	line, err := json.Marshal(map[string]any{"contender": contender, "set": set, "runs": runs})
	if err != nil {
		return reply, err
	}
	if _, err := p.input.Write(append(line, '\n')); err != nil {
		return reply, err
	}
	answer, err := p.output.ReadBytes('\n')
	if err != nil {
		return reply, fmt.Errorf("node: %w", err)
	}
	if err := json.Unmarshal(answer, &reply); err != nil {
		return reply, err
	}
	if reply.Error != "" {
		err = fmt.Errorf("node: %s", reply.Error)
	}
	return reply, err
}

// stop ends the process and removes its files.
func (p *nodeProcess) stop() error {
	return errors.Join(p.input.Close(), p.command.Wait(), os.RemoveAll(p.folder))
}

// contenders gives the two peers, or one where ajv is not installed.
func (p *nodeProcess) contenders() ([]contender, error) {
	versions, err := p.ask("versions", 0, 0)
	if err != nil {
		return nil, err
	}
	list := []contender{{name: nameNode, heavy: true, prepare: p.prepare("loop")}}
	if versions.Ajv != "" {
		list = append(list, contender{name: nameAjv, heavy: true, prepare: p.prepare("ajv")})
	}
	return list, nil
}

func (p *nodeProcess) prepare(name string) func(*set) (measure, error) {
	return func(s *set) (measure, error) {
		return func(runs int) (measurement, error) {
			reply, err := p.ask(name, p.index[s], runs)
			return measurement{
				elapsed: time.Duration(reply.Nanoseconds),
				verdict: verdict{reply.Pass, reply.Offenders},
			}, err
		}, nil
	}
}

// nodeVersions says which Node and ajv there are, and why one is not. It installs ajv where npm can.
func nodeVersions(install bool) (node, ajv string) {
	if _, err := exec.LookPath("node"); err != nil {
		return "left out: node is not on the PATH", "left out: node is not on the PATH"
	}
	problem := ""
	if _, err := os.Stat("node/node_modules"); err != nil && install {
		command := exec.Command("npm", "ci", "--no-audit", "--no-fund")
		command.Dir = "node"
		if output, err := command.CombinedOutput(); err != nil {
			problem = fmt.Sprintf(" (npm ci: %v: %.200s)", err, output)
		}
	}
	p, err := startNode(nil)
	if err != nil {
		return "left out: " + err.Error(), "left out: node does not start"
	}
	reply, err := p.ask("versions", 0, 0)
	if err = errors.Join(err, p.stop()); err != nil {
		return "left out: " + err.Error(), "left out: node does not run the script"
	}
	if reply.Ajv == "" {
		return reply.Node, "left out: not installed" + problem
	}
	return reply.Node, reply.Ajv
}
