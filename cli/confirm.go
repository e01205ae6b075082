package cli

import (
	"bufio"
	"fmt"
	"strconv"
	"strings"

	"signalbox/store"
)

// confirm asks a question whose default answer is no.
func (a *app) confirm(question string) error {
	return a.expect(question+" [y/N] ", "y", "yes")
}

// confirmCount asks for the number of things that are about to change.
func (a *app) confirmCount(question string, n int) error {
	return a.expect(fmt.Sprintf("%s Type %d to go on: ", question, n), strconv.Itoa(n))
}

func (a *app) expect(prompt string, answers ...string) error {
	fmt.Fprint(a.Stderr, prompt)
	line, err := bufio.NewReader(a.Stdin).ReadString('\n')
	if err != nil {
		fmt.Fprintln(a.Stderr)
	}
	for _, answer := range answers {
		if strings.EqualFold(strings.TrimSpace(line), answer) {
			return nil
		}
	}
	return &store.Error{Code: store.CodeFailed, Thing: "nothing was changed, as you said no"}
}
