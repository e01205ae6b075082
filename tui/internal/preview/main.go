// Command preview shows the console on made-up records.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	"signalbox/tui"
	"signalbox/tui/internal/fake"
)

func main() {
	theme := flag.String("theme", "", "")
	empty := flag.Bool("empty", false, "")
	flag.Parse()
	e := fake.Lifelike()
	if *empty {
		e = fake.New()
	}
	err := tui.Run(context.Background(), tui.Options{Engine: e, Title: "production", Actor: "ada", Theme: *theme, Demo: true, Place: time.UTC, Clock: fake.Epoch})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}
