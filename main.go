// Command signalbox is an operations console for work queues, with its own
// durable engine.
package main

import (
	"context"
	"os"

	"signalbox/cli"
)

func main() {
	os.Exit(cli.Run(context.Background(), cli.System(version), os.Args[1:]))
}

// version is what `signalbox --version` says; releases set it with -ldflags.
var version = "dev"
