package cli

import (
	"context"
	"errors"
	"fmt"
	"os"

	berrors "go.etcd.io/bbolt/errors"

	"github.com/spf13/cobra"

	"signalbox/store"
	"signalbox/store/bolt"
	"signalbox/tui/text"
)

func (a *app) restoreCommand() *cobra.Command {
	var yes bool
	c := &cobra.Command{
		Use: "restore FILE", Short: "Put a backup in the place of the store", Args: takes("FILE"),
		Long: "Check a backup whole, and put it in the place of the store, which no engine may hold. " +
			"A store that is there is kept beside it, with .old behind its name.",
		Example: "signalbox restore /backup/signalbox.db",
	}
	c.Flags().BoolVar(&yes, "yes", false, "do not ask")
	c.RunE = func(c *cobra.Command, args []string) error {
		where, err := a.alone(c.Context())
		if err != nil {
			return err
		}
		backup := args[0]
		if err := usable(backup, where); err != nil {
			return err
		}
		kept, err := a.keeps(where, backup, yes)
		if err != nil {
			return err
		}
		if err := bolt.Restore(where.path, backup); err != nil {
			return heldOffline(err)
		}
		return a.printOne(struct {
			Store string `json:"store"`
			From  string `json:"from"`
			Kept  string `json:"kept,omitempty"` // the store of before
		}{where.String(), backup, kept})
	}
	return c
}

// alone gives the place of a store that a command is to have for itself, which
// no engine serves.
func (a *app) alone(ctx context.Context) (place, error) {
	if address := a.address(); address != "" {
		return place{}, usage("--connect "+address, "this needs the store's file, which that engine holds", "stop the engine, and name the file with --store bolt:PATH")
	}
	if _, err := a.formatOfOne(); err != nil {
		return place{}, err
	}
	if a.readOnly {
		return place{}, &store.Error{Code: store.CodeForbidden, Thing: "this change", Rule: "opened read-only", Mend: "leave out --read-only"}
	}
	if err := a.refuseMemory(); err != nil {
		return place{}, err
	}
	where, err := a.where()
	if err != nil {
		return place{}, err
	}
	c, err := a.knock(ctx, where.socket())
	if err != nil {
		return where, nil // a lock without a socket is met later
	}
	pid := c.Health().PID
	return place{}, errors.Join(&store.Error{
		Code: store.CodeUnavailable, Thing: "store " + where.String(), Rule: fmt.Sprintf("process %d serves it", pid), Mend: mendHeld,
	}, c.Close())
}

const mendHeld = "stop that one first, or copy the store as it runs with `signalbox backup FILE`"

// heldOffline mends a store held by another for commands that can't go through it.
func heldOffline(err error) error {
	e, ok := errors.AsType[*store.Error](err)
	if !ok || !errors.Is(err, bolt.ErrHeld) {
		return err
	}
	return &store.Error{Code: e.Code, Thing: e.Thing, Rule: e.Rule, Mend: mendHeld}
}

// usable refuses what can't be a backup, in the words of who named it.
func usable(path string, where place) error {
	info, err := os.Stat(path)
	if err != nil {
		return usage("file "+path, "it can't be read: "+reasonOf(err).Error(), "give a backup that is there")
	}
	if own, err := os.Stat(where.path); err == nil && os.SameFile(own, info) {
		return usage("file "+path, "it is the store itself", "give a backup")
	}
	if info.IsDir() || info.Size() == 0 {
		return usage("file "+path, "it is a folder, or empty", "give what `signalbox backup FILE` wrote")
	}
	s, err := bolt.Open(path, bolt.Options{ReadOnly: true, Timeout: glance})
	switch {
	case errors.Is(err, bolt.ErrHeld):
		return usage("file "+path, "it is a store that another process uses", "copy that one with `signalbox backup FILE` first")
	case errors.Is(err, berrors.ErrInvalid):
		return usage("file "+path, "it is not a signalbox store, or its beginning is damaged", "give what `signalbox backup FILE` wrote")
	case err != nil:
		return err
	}
	return s.Close()
}

// keeps says where the store that is there will be kept, "" when there is none,
// and asks. One that an earlier restore kept is never written over: it may be
// the one with the work in it.
func (a *app) keeps(where place, backup string, yes bool) (string, error) {
	if _, err := os.Stat(where.path); errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	kept := where.path + ".old"
	if _, err := os.Stat(kept); err == nil {
		return "", store.Conflict("file "+kept, "an earlier restore kept a store there", "move it away, or delete it")
	}
	switch {
	case yes:
		return kept, nil
	case !a.IsTerminal(a.Stdin):
		return "", usage("store "+where.String(), "there is one, and nobody is there to confirm", "add --yes")
	}
	question := fmt.Sprintf("Put %s in the place of store %s? That is kept as %s.", text.Clean(backup), text.Clean(where.String()), text.Clean(kept))
	return kept, a.confirm(question)
}
