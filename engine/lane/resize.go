package lane

// Resize changes the pool's size and split. Who holds a slot keeps it: slots
// above the new size are shown as closing until they are let go, and open again
// if the pool grows meanwhile. Slots that become usable go to waiters at once.
func (p *Pool) Resize(split Split, auto bool) error {
	if err := split.Validate(); err != nil {
		return err
	}
	p.mu.Lock()
	now := p.now()
	p.usage.advance(now, p.busy, p.split.Size)
	p.split, p.auto = split, auto
	for len(p.grants) < split.Size {
		p.grants = append(p.grants, nil)
	}
	p.trim()
	p.sort()
	for p.seat() {
	}
	p.cache.Store(nil)
	p.mu.Unlock()
	p.changed()
	return nil
}

// trim forgets free slots above the pool's size, down to the last closing one.
func (p *Pool) trim() {
	n := len(p.grants)
	for n > p.split.Size && p.grants[n-1] == nil {
		n--
	}
	p.grants = p.grants[:n]
}

// sort files every slot of the pool under the part it belongs to.
func (p *Pool) sort() {
	p.parts = [3]part{}
	p.busy = 0
	for i, g := range p.grants[:p.split.Size] {
		part := p.part(p.split.Of(i + 1))
		if g == nil {
			part.free = append(part.free, i+1)
			continue
		}
		part.held[g.holder.Lane.index()]++
		p.busy++
	}
}

// seat gives a free slot to the waiter who has waited longest of those that may
// use one, and says whether there was one.
func (p *Pool) seat() bool {
	first := p.first()
	for _, l := range [...]Lane{first, first.other()} {
		w := p.lane(l).line.head
		if w == nil {
			continue
		}
		slot, ok := p.pick(l)
		if !ok {
			continue
		}
		p.remove(w)
		w.granted <- p.give(slot, w.Holder, p.now())
		return true
	}
	return false
}
