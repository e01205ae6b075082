package table

// Marked is the number of marks, rows out of sight included.
func (t *Table[R, K]) Marked() int { return len(t.marks) }

// Marks gives the marks; they must not be changed.
func (t *Table[R, K]) Marks() map[K]Mark { return t.marks }

// Vanished is the number of marked rows that have gone since the marks were
// last cleared, but for those unmarked since.
func (t *Table[R, K]) Vanished() int { return len(t.vanished) }

// Ranging says that a range is being marked.
func (t *Table[R, K]) Ranging() bool { return t.from != nil }

// Toggle marks or unmarks the row in hand.
func (t *Table[R, K]) Toggle(filter string) {
	r := t.Row()
	if r == nil {
		return
	}
	k := t.key(r)
	if _, ok := t.marks[k]; ok {
		delete(t.marks, k)
		return
	}
	t.marks[k] = t.seen(r, filter)
}

// Range begins a range at the row in hand, or marks the rows from where it
// began to here.
func (t *Table[R, K]) Range(filter string) {
	k, ok := t.Cursor()
	if !ok {
		return
	}
	if t.from == nil {
		t.from = &k
		return
	}
	start, ok := t.index[*t.from]
	t.from = nil
	if !ok {
		start = t.at
	}
	for i := min(start, t.at); i <= max(start, t.at); i++ {
		t.marks[t.key(&t.rows[i])] = t.seen(&t.rows[i], filter)
	}
}

// MarkAll marks every row held.
func (t *Table[R, K]) MarkAll(filter string) {
	t.from = nil
	for i := range t.rows {
		t.marks[t.key(&t.rows[i])] = t.seen(&t.rows[i], filter)
	}
}

func (t *Table[R, K]) seen(r *R, filter string) Mark {
	m := Mark{Filter: filter}
	if t.revision != nil {
		m.Revision = t.revision(r)
	}
	return m
}

// Put marks a key as it was seen.
func (t *Table[R, K]) Put(k K, m Mark) { t.marks[k] = m }

// Unmark takes marks away, also those of rows that have gone: why is known.
func (t *Table[R, K]) Unmark(keys ...K) {
	for _, k := range keys {
		delete(t.marks, k)
		delete(t.vanished, k)
	}
}

// Clear takes away every mark and ends the range.
func (t *Table[R, K]) Clear() {
	clear(t.marks)
	clear(t.vanished)
	t.from = nil
}

// Vanish takes away the mark of a row that is no more, and counts it.
func (t *Table[R, K]) Vanish(k K) {
	if _, ok := t.marks[k]; ok {
		delete(t.marks, k)
		t.vanished[k] = struct{}{}
	}
}

// Hidden counts marks made under another filter whose rows are not to be seen
// under this one.
func (t *Table[R, K]) Hidden(filter string) (n int) {
	for k, m := range t.marks {
		if _, ok := t.index[k]; !ok && m.Filter != filter {
			n++
		}
	}
	return n
}
