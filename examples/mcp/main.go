// Command mcp plays a storage catalogue through MCP: a server of the official SDK declares what its reports hold, and a
// client checks them before a scripted model reads them, over stdio and over streamable HTTP, under each setting of the
// dial.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"

	"github.com/columntypes/columntypes"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func main() {
	serve := flag.Bool("serve", false, "be the server, over stdio")
	flag.Parse()
	ctx := context.Background()
	play := playAll
	if *serve {
		play = serveStdio
	}
	if err := play(ctx, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// serveStdio is what the host starts as a subprocess.
func serveStdio(ctx context.Context, _ io.Writer) error {
	db, err := openCatalogue(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	server, err := newServer(db)
	if err != nil {
		return err
	}
	return server.Run(ctx, &mcp.StdioTransport{})
}

// playAll plays the script over stdio, and holds streamable HTTP to the same.
func playAll(ctx context.Context, out io.Writer) error {
	endpoint, stop, err := serveHTTP(ctx)
	if err != nil {
		return err
	}
	defer stop()
	executable, err := os.Executable()
	if err != nil {
		return err
	}
	for _, mode := range []columntypes.Mode{columntypes.Off, columntypes.Warn, columntypes.Enforce} {
		fmt.Fprintf(out, "======== the dial is %s ========\n\n", mode)
		server := exec.Command(executable, "-serve")
		server.Stderr = os.Stderr
		var overStdio, overHTTP bytes.Buffer
		if err := converse(ctx, &overStdio, mode, &mcp.CommandTransport{Command: server}); err != nil {
			return fmt.Errorf("over stdio: %w", err)
		}
		if err := converse(ctx, &overHTTP, mode, &mcp.StreamableClientTransport{Endpoint: endpoint}); err != nil {
			return fmt.Errorf("over streamable HTTP: %w", err)
		}
		if _, err := io.WriteString(out, overStdio.String()); err != nil {
			return err
		}
		if overStdio.String() != overHTTP.String() {
			return fmt.Errorf("over streamable HTTP it went otherwise:\n%s", &overHTTP)
		}
		fmt.Fprint(out, "over streamable HTTP: the same\n\n")
	}
	return nil
}

// serveHTTP serves the same reports on a port of this machine that nobody else has.
func serveHTTP(ctx context.Context) (endpoint string, stop func(), err error) {
	db, err := openCatalogue(ctx)
	if err != nil {
		return "", nil, err
	}
	server, err := newServer(db)
	if err != nil {
		return "", nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	serving := &http.Server{Handler: mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil)}
	go func() { _ = serving.Serve(listener) }()
	return "http://" + listener.Addr().String(), func() {
		_ = serving.Close()
		_ = db.Close()
	}, nil
}
