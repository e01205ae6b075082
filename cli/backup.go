package cli

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"signalbox/store"
)

func (a *app) backupCommand() *cobra.Command {
	var force bool
	c := &cobra.Command{
		Use: "backup FILE|-", Short: "Copy the store as of now, also while an engine runs", Args: takes("FILE"),
		Long: "Copy the store as of now into a file, or with - to stdout. An engine that runs goes on meanwhile. " +
			"The copy is a store itself, and what `signalbox restore` takes.\n\n" +
			"The file gets its name only when it is whole and on disk.",
		Example: "signalbox backup /backup/signalbox.db --force\nsignalbox backup - | gzip > signalbox.db.gz",
	}
	c.Flags().BoolVar(&force, "force", false, "replace the file if it is there")
	c.RunE = func(c *cobra.Command, args []string) error {
		path := args[0]
		if path == "-" && a.IsTerminal(a.Stdout) {
			return usage("`signalbox backup -`", "a terminal can't show a store", "name a file, or send it to a program with |")
		}
		if _, err := a.formatOfOne(); err != nil {
			return err
		}
		if err := a.refuseMemory(); err != nil {
			return err
		}
		return a.do(c.Context(), func(ctx context.Context, s Service) error {
			if path == "-" {
				out := &interruptibleWriter{ctx: ctx, w: a.Stdout}
				return out.fault(s.Backup(ctx, out))
			}
			if err := a.checkTarget(s, path, force); err != nil {
				return err
			}
			bytes, err := wholeFile(ctx, path, func(w io.Writer) error { return s.Backup(ctx, w) })
			if err != nil {
				return err
			}
			return a.printOne(struct {
				File  string `json:"file"`
				Bytes int64  `json:"bytes"`
			}{path, bytes})
		})
	}
	return c
}

// refuseMemory refuses what is of no use for a store that ends with its
// process.
func (a *app) refuseMemory() error {
	if a.address() != "" {
		return nil
	}
	where, err := a.where()
	if err == nil && where.memory {
		err = usage("store memory:", "it is no file, and ends with its process", "name a file with --store bolt:PATH")
	}
	return err
}

// checkTarget refuses a file that a backup must not replace.
func (a *app) checkTarget(s Service, path string, force bool) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return unwritable(path, err)
	case !info.Mode().IsRegular():
		return usage("file "+path, "it is a folder or a device", "name a file")
	case !force:
		return store.Conflict("file "+path, "it is there already", "name another, or replace it with --force")
	}
	return a.sparesStore(s, path)
}

// sparesStore refuses a file that is the store, or has the name of one that
// belongs to it and is not there now: with a foreign log it can't be opened.
func (a *app) sparesStore(s Service, path string) error {
	name, err := a.nameOf(s)
	if err != nil {
		return err
	}
	own := strings.TrimPrefix(name, "bolt:")
	if sameFile(path, own) {
		return usage("file "+path, "it is the store itself", "name another")
	}
	if !sameFile(filepath.Dir(path), filepath.Dir(own)) {
		return nil
	}
	for _, ending := range []string{".wal", ".sock", ".archive"} {
		if filepath.Base(path) == filepath.Base(own)+ending {
			return usage("file "+path, "the store keeps a file of its own under this name", "name another")
		}
	}
	return nil
}

func sameFile(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}

// wholeFile writes a file that gets its name when it is whole and on disk, and
// gives its size.
func wholeFile(ctx context.Context, path string, write func(io.Writer) error) (size int64, err error) {
	out, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.partial") // nobody else's file
	if err != nil {
		return 0, unwritable(path, err)
	}
	partial := out.Name()
	defer func() {
		if err != nil {
			_ = out.Close()
			_ = os.Remove(partial)
		}
	}()
	w := &interruptibleWriter{ctx: ctx, w: out}
	if err := write(w); err != nil {
		if w.failed != nil && ctx.Err() == nil {
			err = unwritable(path, w.failed) // which names the partial file
		}
		return 0, err
	}
	info, err := out.Stat()
	if err != nil {
		return 0, err
	}
	if err := errors.Join(out.Sync(), out.Close()); err != nil {
		return 0, unwritable(path, err)
	}
	if err := os.Rename(partial, path); err != nil {
		return 0, unwritable(path, err)
	}
	return info.Size(), syncFolder(filepath.Dir(path))
}

// interruptibleWriter refuses to write on when its context has ended.
type interruptibleWriter struct {
	ctx    context.Context
	w      io.Writer
	failed error // by which a write failed
}

func (i *interruptibleWriter) Write(p []byte) (n int, err error) {
	if err = i.ctx.Err(); err == nil {
		n, err = i.w.Write(p)
	}
	if i.failed == nil {
		i.failed = err
	}
	return n, err
}

// fault is why what was written is not whole: the failed write itself, where
// there was one, whatever who wrote makes of it.
func (i *interruptibleWriter) fault(err error) error {
	if err != nil && i.failed != nil {
		return i.failed
	}
	return err
}

func unwritable(path string, err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = e.Err
	}
	return &store.Error{Code: store.CodeFailed, Thing: "file " + path, Rule: "it can't be written", Err: err, Mend: "name another place"}
}

// syncFolder makes a new name in a folder durable.
func syncFolder(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
