package table

// Part says whether the rows that come next may not be the first of their list:
// what stands above them is then not known, and none of it is news.
func (t *Table[R, K]) Part(part bool) {
	if part {
		t.newer = nil
	}
	t.part = part
}

// Newer is how many rows have come in above those shown that nobody has seen yet.
func (t *Table[R, K]) Newer() int { return len(t.newer) }

// arrive notes the rows above those shown that were not known before. While the
// list's first rows are in sight there are none.
func (t *Table[R, K]) arrive(known map[K]int) {
	for i := 0; i < t.top && !t.part && len(known) > 0; i++ {
		k := t.key(&t.rows[i])
		if _, was := known[k]; was {
			continue
		}
		if t.newer == nil {
			t.newer = map[K]struct{}{}
		}
		t.newer[k] = struct{}{}
	}
	t.look()
}

// look takes what is in sight, or gone, for seen.
func (t *Table[R, K]) look() {
	for k := range t.newer {
		if i, there := t.index[k]; !there || i >= t.top {
			delete(t.newer, k)
		}
	}
}
