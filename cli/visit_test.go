package cli

import (
	"bytes"
	"context"
	"path/filepath"
	"testing"
	"time"

	"signalbox/engine"
	"signalbox/store"
)

// A visitor checks and copies a store, and leaves it to others.
func TestVisitorKeeps(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	a := &app{Env: System("test"), store: "bolt:" + path}
	if err := a.make(t.Context(), func(ctx context.Context, s Service) error {
		_, err := s.AddQueue(ctx, engine.DefaultQueue("q", store.Jobs))
		return err
	}); err != nil {
		t.Fatal(err)
	}
	reader := *a
	reader.readOnly = true
	v, err := reader.visit(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	if problems, err := v.Check(t.Context()); err != nil || len(problems) > 0 {
		t.Errorf("a check found %q, %v", problems, err)
	}
	var b bytes.Buffer
	if err := v.Backup(t.Context(), &b); err != nil || b.Len() == 0 {
		t.Errorf("a backup of %d bytes, %v", b.Len(), err)
	}
	began := time.Now()
	if err := a.do(t.Context(), func(ctx context.Context, s Service) error {
		_, err := s.PauseQueue(ctx, "q", true)
		return err
	}); err != nil || time.Since(began) > patience {
		t.Errorf("beside a visitor: %v", err)
	}
}
