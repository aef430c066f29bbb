package fieldtests

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	_ "github.com/lib/pq"
	"github.com/stretchr/testify/require"
)

// startDeadline bounds each step of a start; a machine under load takes seconds, not minutes.
const startDeadline = 90 * time.Second

// longestSocketPath is what a Unix socket's address has room for.
const longestSocketPath = 103

var errNotInstalled = errors.New("not installed")

// server is a database that the tests start at first use and stop when they end.
type server struct {
	name     string
	install  string   // the command that installs it
	accounts []string // who may run it where the tests run as root, the first that exists
	prepare  func(dir string) ([]*exec.Cmd, error)
	run      func(dir string) (*exec.Cmd, error)
	socket   string // inside its directory
	signal   string // ends it at once and in order
	ping     func(dir string) error

	once   sync.Once
	dir    string
	failed error
	keeper *exec.Cmd
	leash  io.Closer // the keeper ends the server when this closes: also when the tests die
}

var postgres = &server{
	name:     "PostgreSQL",
	install:  "apt-get install -y --no-install-recommends postgresql",
	accounts: []string{"postgres", "nobody"},
	prepare: func(dir string) ([]*exec.Cmd, error) {
		initdb, err := program("initdb", "/usr/lib/postgresql/*/bin/initdb")
		return []*exec.Cmd{exec.Command(initdb, "--pgdata", filepath.Join(dir, "data"), "--username=postgres",
			"--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync")}, err
	},
	run: func(dir string) (*exec.Cmd, error) {
		server, err := program("postgres", "/usr/lib/postgresql/*/bin/postgres")
		return exec.Command(server, "-D", filepath.Join(dir, "data"), "-k", dir,
			"-c", "listen_addresses=", "-c", "fsync=off", "-c", "timezone=UTC"), err
	},
	socket: ".s.PGSQL.5432",
	signal: "INT",
	ping: func(dir string) error {
		return pingOnce("postgres", postgresDSN(dir))
	},
}

// smallLog spares the disk: the default is 96 MiB for a few rows.
const smallLog = "--innodb-log-file-size=8M"

var mariadb = &server{
	name:     "MariaDB",
	install:  "apt-get install -y --no-install-recommends mariadb-server",
	accounts: []string{"mysql", "nobody"},
	prepare: func(dir string) ([]*exec.Cmd, error) {
		installer, err := program("mariadb-install-db", "/usr/bin/mariadb-install-db", "/usr/bin/mysql_install_db")
		return []*exec.Cmd{exec.Command(installer, "--no-defaults", "--datadir="+filepath.Join(dir, "data"),
			"--auth-root-authentication-method=normal", "--skip-test-db", smallLog)}, err
	},
	run: func(dir string) (*exec.Cmd, error) {
		server, err := program("mariadbd", "/usr/sbin/mariadbd", "/usr/sbin/mysqld")
		return exec.Command(server, "--no-defaults", "--datadir="+filepath.Join(dir, "data"),
			"--socket="+filepath.Join(dir, "s"), "--pid-file="+filepath.Join(dir, "pid"), "--skip-networking", smallLog,
			"--character-set-server=utf8mb4", "--default-time-zone=+00:00",
			"--sql-mode="), err // without strict modes a zero date may be stored, as in many an old schema
	},
	socket: "s",
	signal: "TERM",
	ping: func(dir string) error {
		return pingOnce("mysql", mariadbDSN(dir, false))
	},
}

func postgresDSN(dir string) string {
	return "host=" + dir + " port=5432 user=postgres dbname=postgres sslmode=disable"
}

func mariadbDSN(dir string, parseTime bool) string {
	config := mysql.NewConfig()
	config.User, config.Net, config.Addr = "root", "unix", filepath.Join(dir, "s")
	config.ParseTime = parseTime
	return config.FormatDSN()
}

func TestMain(m *testing.M) {
	time.Local = time.UTC // drivers hand over local times
	_ = mysql.SetLogger(silent{})
	code := m.Run()
	for _, s := range []*server{postgres, mariadb} {
		if err := s.stop(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// silent keeps the MySQL driver from logging each attempt to reach a server that is still starting.
type silent struct{}

func (silent) Print(...any) {}

// directory starts the server if that was not done yet, and gives the directory of its socket.
func (s *server) directory(t *testing.T) string {
	t.Helper()
	s.once.Do(func() { s.failed = s.start() })
	if errors.Is(s.failed, errNotInstalled) && os.Getenv("COLUMNTYPES_SERVERS") != "required" {
		t.Skipf("%s is not installed: %s", s.name, s.install)
	}
	require.NoError(t, s.failed, "%s did not start (to install it: %s)", s.name, s.install)
	return s.dir
}

func (s *server) start() error {
	if _, err := s.run(""); err != nil {
		return err // before there is anything to clean up
	}
	dir, err := os.MkdirTemp("", "ct")
	if err != nil {
		return err
	}
	s.dir = dir
	if path := filepath.Join(s.dir, s.socket); len(path) > longestSocketPath {
		return fmt.Errorf("the socket %s has too long a path: set TMPDIR to a shorter directory", path)
	}
	credential, err := s.account()
	if err != nil {
		return err
	}
	if credential != nil {
		if err := os.Chown(s.dir, int(credential.Uid), int(credential.Gid)); err != nil {
			return err
		}
	}
	steps, err := s.prepare(s.dir)
	if err != nil {
		return err
	}
	for _, step := range steps {
		if err := s.finish(step, credential); err != nil {
			return err
		}
	}
	run, err := s.run(s.dir)
	if err != nil {
		return err
	}
	if err := s.keep(run, credential); err != nil {
		return err
	}
	return s.await()
}

// finish runs one step of the preparation to its end.
func (s *server) finish(step *exec.Cmd, credential *syscall.Credential) error {
	ctx, cancel := context.WithTimeout(context.Background(), startDeadline)
	defer cancel()
	command := exec.CommandContext(ctx, step.Path, step.Args[1:]...)
	command.Dir, command.Env = s.dir, s.environment()
	command.SysProcAttr = &syscall.SysProcAttr{Credential: credential}
	command.WaitDelay = time.Second
	if said, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", step.Path, err, said)
	}
	return nil
}

// keeper holds a server for as long as its standard input stays open, so that no end of the tests (a failure, a
// panic, a kill) leaves a server or its directory behind.
const keeper = `
"$@" </dev/null >log 2>&1 &
server=$!
(while kill -0 $server 2>/dev/null; do sleep 0.2; done; echo ended >ended) &
read -r nothing
kill -"$STOP" $server 2>/dev/null
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	kill -0 $server 2>/dev/null || break
	sleep 0.25
done
kill -KILL $server 2>/dev/null
wait
cd / && rm -rf "$DIRECTORY"
exit 0
`

func (s *server) keep(run *exec.Cmd, credential *syscall.Credential) error {
	s.keeper = exec.Command("/bin/sh", append([]string{"-c", keeper, "keeper"}, run.Args...)...)
	s.keeper.Dir = s.dir
	s.keeper.Env = append(s.environment(), "DIRECTORY="+s.dir, "STOP="+s.signal)
	// A group of its own: an interrupt from the terminal ends the tests, and their end ends the server.
	s.keeper.SysProcAttr = &syscall.SysProcAttr{Credential: credential, Setpgid: true}
	leash, err := s.keeper.StdinPipe()
	if err != nil {
		return err
	}
	s.leash = leash
	if err := s.keeper.Start(); err != nil {
		s.keeper = nil
		return err
	}
	return nil
}

func (s *server) await() error {
	deadline := time.Now().Add(startDeadline)
	for {
		err := s.ping(s.dir)
		if err == nil {
			return nil
		}
		_, ended := os.Stat(filepath.Join(s.dir, "ended"))
		if ended == nil || time.Now().After(deadline) {
			log, _ := os.ReadFile(filepath.Join(s.dir, "log"))
			return fmt.Errorf("%w; its log: %s", err, bytes.TrimSpace(log))
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func pingOnce(driver, dsn string) error {
	db, err := sql.Open(driver, dsn)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return db.PingContext(ctx)
}

// stop ends the server, if it was started, and removes its directory.
func (s *server) stop() error {
	if s.keeper != nil {
		_ = s.leash.Close()
		if err := s.keeper.Wait(); err != nil {
			return fmt.Errorf("%s was not stopped cleanly: %w", s.name, err)
		}
	}
	if s.dir != "" {
		return os.RemoveAll(s.dir)
	}
	return nil
}

// account says who the server runs as: root's tests lend it another account, because PostgreSQL refuses to be root.
func (s *server) account() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range s.accounts {
		account, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err := strconv.ParseUint(account.Uid, 10, 32)
		if err != nil {
			return nil, err
		}
		gid, err := strconv.ParseUint(account.Gid, 10, 32)
		if err != nil {
			return nil, err
		}
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
	}
	return nil, fmt.Errorf("no account of %v to run %s as: it is not run as root", s.accounts, s.name)
}

func (s *server) environment() []string {
	return []string{"PATH=" + os.Getenv("PATH") + ":/usr/sbin:/sbin", "LC_ALL=C", "TZ=UTC", "HOME=" + s.dir, "TMPDIR=" + s.dir}
}

// program finds a program where Debian puts it, else on the path. Of several releases the last one wins.
func program(name string, places ...string) (string, error) {
	for _, place := range places {
		if found, _ := filepath.Glob(place); len(found) > 0 {
			return found[len(found)-1], nil
		}
	}
	if found, err := exec.LookPath(name); err == nil {
		return found, nil
	}
	return "", fmt.Errorf("%s: %w", name, errNotInstalled)
}
