package engine

import (
	"hash/fnv"
	"io"

	"signalbox/store"
)

// Links finds the retries of imported items again, which have other numbers here
// than where they came from. A link is kept where both its items are of one
// import and both name each other. An import that is made of several adds keeps
// Links over them: Fill before each, Took behind it.
//
// It remembers a number for each chain and for each link whose other item has not
// come, under hashes of 64 bits: a million items need some 30 MB, whatever they
// are called.
type Links struct {
	open   map[uint64]uint64
	chains map[uint64]uint64
}

// Kin is where the items are that an imported one is linked to.
type Kin struct {
	Previous store.ID `json:"previous,omitzero"`
	Next     store.ID `json:"next,omitzero"`
	Chain    store.ID `json:"chain,omitzero"`
}

// Of what a number is remembered: of an item that names its next, or its previous
// one, or that began a chain.
const (
	namesNext = iota
	namesPrevious
	beganChain
)

// Linked says that an item with this past was a retry of another, or had one.
func (p *Past) Linked() bool {
	return p != nil && p.ID != "" && (p.Previous != "" || p.Next != "")
}

// Fill tells items, which are the next to be added to the queue, where those are
// that were added before.
func (l *Links) Fill(queue string, items []NewItem) {
	for n := range items {
		if p := items[n].Past; p.Linked() {
			kin := l.kin(queue, p)
			p.Kin = &kin
		}
	}
}

// Took remembers items that were added, and says by how many there are more, or
// fewer, that lack an item they are linked to. Its answer is right with Links over
// all adds and with new ones for each.
func (l *Links) Took(items []NewItem, results []AddResult) (lacking int) {
	for n := range min(len(items), len(results)) {
		p, r := items[n].Past, &results[n]
		if p.Linked() && r.Err == nil && !r.Existing && r.Item.Number != 0 {
			lacking += l.took(p, &r.Item)
		}
	}
	return lacking
}

// Past remembers an item that an earlier attempt at the import added under the
// number.
func (l *Links) Past(p *Past, queue string, number uint64) {
	i := store.Item{Queue: queue, Number: number}
	kin := l.kin(queue, p)
	i.Previous, i.Next, i.Chain = kin.Previous, kin.Next, kin.Chain
	if i.Chain.IsZero() {
		i.Chain = i.ID()
	}
	l.took(p, &i)
}

func (l *Links) kin(queue string, p *Past) (k Kin) {
	at := func(table map[uint64]uint64, key uint64) store.ID {
		if number := table[key]; number != 0 {
			return store.ID{Queue: queue, Number: number}
		}
		return store.ID{}
	}
	if p.Previous != "" {
		k.Previous = at(l.open, linkKey(namesNext, p.Previous, p.ID))
	}
	if p.Next != "" {
		k.Next = at(l.open, linkKey(namesPrevious, p.ID, p.Next))
	}
	k.Chain = at(l.chains, linkKey(beganChain, p.chain(), ""))
	return k
}

func (l *Links) took(p *Past, i *store.Item) (lacking int) {
	if l.open == nil {
		l.open, l.chains = map[uint64]uint64{}, map[uint64]uint64{}
	}
	var before Kin
	if p.Kin != nil {
		before = *p.Kin
	}
	end := func(named string, is, was store.ID, own, other uint64) {
		switch {
		case named == "":
		case is.IsZero():
			lacking++
			if l.open[own] == 0 {
				l.open[own] = i.Number
			}
		case l.open[other] == is.Number || was == is: // else it was here before the import
			lacking--
			delete(l.open, other)
		}
	}
	end(p.Previous, i.Previous, before.Previous, linkKey(namesPrevious, p.Previous, p.ID), linkKey(namesNext, p.Previous, p.ID))
	end(p.Next, i.Next, before.Next, linkKey(namesNext, p.ID, p.Next), linkKey(namesPrevious, p.ID, p.Next))
	if chain := linkKey(beganChain, p.chain(), ""); l.chains[chain] == 0 {
		l.chains[chain] = i.Chain.Number
	}
	return lacking
}

// chain names the chain that the item was of; one that began it need not say so.
func (p *Past) chain() string { return or(p.Chain, p.ID) }

func linkKey(side byte, first, second string) uint64 {
	h := fnv.New64a()
	h.Write([]byte{side})
	io.WriteString(h, first)
	h.Write([]byte{0})
	io.WriteString(h, second)
	return h.Sum64()
}

// tying is the linking of the items of one add.
type tying struct {
	Links
	at map[uint64]int // which of the add's items has a number
}

// tie links an item that is about to be added to those that are there.
func (t *tx) tie(q *store.Queue, of *tying, p *Past, i *store.Item) error {
	if !p.Linked() || q.Family != store.Transactions {
		return nil
	}
	k := of.kin(q.Name, p)
	if p.Kin != nil {
		k = Kin{orID(k.Previous, p.Kin.Previous), orID(k.Next, p.Kin.Next), orID(k.Chain, p.Kin.Chain)}
	}
	own, previous, next := p.home(q)
	if !own.IsZero() {
		k = Kin{orID(k.Previous, previous), orID(k.Next, next), own}
	}
	before, err := t.relative(q, k.Previous)
	if err != nil {
		return err
	}
	if before != nil && hasNext(before.Status) && (before.Next.IsZero() || own == before.Chain && before.Next.String() == p.ID) {
		i.Previous, i.RetryNo, k.Chain = before.ID(), p.RetryNo, before.Chain
	}
	after, err := t.relative(q, k.Next)
	if err != nil {
		return err
	}
	status, err := pastStatus(q.Family, p.State, p.Error)
	if after != nil && hasNext(status) && (k.Chain.IsZero() || k.Chain == after.Chain) &&
		(after.Previous.IsZero() || own == after.Chain && after.Previous.String() == p.ID) {
		i.Next, k.Chain = after.ID(), after.Chain
	}
	i.Chain = k.Chain
	return err
}

// tied tells those an added item was linked to, and remembers it for the items
// behind it.
func (t *tx) tied(of *tying, p *Past, at int, results []AddResult) error {
	i := &results[at].Item
	if !p.Linked() {
		return nil
	}
	if of.at == nil {
		of.at = map[uint64]int{}
	}
	of.at[i.Number] = at
	of.took(p, i)
	back := func(id store.ID, to func(*store.Item) *store.ID) error {
		if id.IsZero() {
			return nil
		}
		other, err := t.Item(id)
		if err != nil {
			return err
		}
		var c *store.Change // only of one that was here before, and lacked the other since
		if !to(&other).IsZero() {
			was := t.record(other.Queue, "relink", p.ID+" is back as "+i.ID().String())
			c = &was
			c.Number, c.From, c.To, c.Fence = other.Number, other.Status, other.Status, other.Fence
		}
		*to(&other) = i.ID()
		if err := t.Put(&other, c); err != nil {
			return err
		}
		if at, here := of.at[id.Number]; here {
			results[at].Item = other
		}
		return nil
	}
	return firstOf(
		back(i.Previous, func(o *store.Item) *store.ID { return &o.Next }),
		back(i.Next, func(o *store.Item) *store.ID { return &o.Previous }),
	)
}

// home tells, of an item that comes from an archive of this very queue, the chain
// it was of and whom it was linked to, under the numbers they have or had here.
func (p *Past) home(q *store.Queue) (chain, previous, next store.ID) {
	id, err := store.ParseID(p.ID)
	if !p.Archived || err != nil || id.Queue != q.Name || p.CreatedAt < q.CreatedAt { // of one deleted since
		return chain, previous, next
	}
	chain, _ = store.ParseID(p.chain())
	previous, _ = store.ParseID(p.Previous)
	next, _ = store.ParseID(p.Next)
	return chain, previous, next
}

// relative gives an item of the queue, nil where it is not there any more or
// can't be read.
func (t *tx) relative(q *store.Queue, id store.ID) (*store.Item, error) {
	if id.IsZero() || id.Queue != q.Name {
		return nil, nil
	}
	i, err := t.Item(id)
	switch store.CodeOf(err) {
	case store.CodeNotFound, store.CodeUnavailable:
		return nil, nil
	}
	return &i, err
}

// hasNext says that an item of the status can have been retried by a copy.
func hasNext(s store.Status) bool { return s == store.Retried || s == store.Deleted }

func orID(id, otherwise store.ID) store.ID {
	if id.IsZero() {
		return otherwise
	}
	return id
}
