package coop

import (
	"context"
	"slices"
	"sync"
)

// Memory is a Store that lasts as long as the process: for tests, and to hand
// what is outstanding from one queue to the next. The zero value is empty.
type Memory struct {
	mu   sync.Mutex
	last uint64
	rows map[string]numbered
}

type numbered struct {
	Row
	number uint64
}

var _ Store = (*Memory)(nil)

// Save implements Store.
func (m *Memory) Save(_ context.Context, r Row) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.rows == nil {
		m.rows = map[string]numbered{}
	}
	number := m.rows[r.ID].number
	if number == 0 {
		m.last++
		number = m.last
	}
	r.Payload = slices.Clone(r.Payload)
	m.rows[r.ID] = numbered{r, number}
	return nil
}

// Remove implements Store.
func (m *Memory) Remove(_ context.Context, ids ...string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, id := range ids {
		delete(m.rows, id)
	}
	return nil
}

// Load implements Store.
func (m *Memory) Load(context.Context) ([]Row, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := make([]numbered, 0, len(m.rows))
	for _, r := range m.rows {
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b numbered) int { return int(int64(a.number) - int64(b.number)) })
	rows := make([]Row, len(all))
	for i, r := range all {
		rows[i] = r.Row
		rows[i].Payload = slices.Clone(r.Payload)
	}
	return rows, nil
}

// Clear implements Store.
func (m *Memory) Clear(_ context.Context, keep ...string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	kept := map[string]numbered{}
	for _, id := range keep {
		if r, ok := m.rows[id]; ok {
			kept[id] = r
		}
	}
	m.rows = kept
	return nil
}
