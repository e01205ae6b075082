package filterbar

import (
	"slices"
	"strings"

	"signalbox/themes"
	"signalbox/tui/env"
	"signalbox/tui/paint"
	"signalbox/tui/text"
)

// Words are what the bar completes: the names that stand before a colon, and
// for some of them the values behind it. Queues and folders are those of the
// picture.
type Words struct {
	Names  []string
	Values map[string][]string
}

// offer is what fits the word before the cursor: how much of that is typed, and
// the texts that may stand in its place.
type offer struct {
	typed string
	all   []string
}

// first is what the first text adds to what is typed.
func (o offer) first() string {
	if len(o.all) == 0 {
		return ""
	}
	return o.all[0][len(o.typed):]
}

// offer finds what may be meant by the word before the cursor: a name, or a
// value of the list behind one.
func (b *Bar) offer(e env.Env) offer {
	if !b.typing || !b.field.AtEnd() {
		return offer{}
	}
	word := b.field.Before()
	word = strings.TrimPrefix(word[strings.LastIndex(word, " ")+1:], "!")
	name, value, ok := strings.Cut(word, ":")
	if !ok {
		return offer{word, fitting(word, b.Words.Names, ":")}
	}
	value = value[strings.LastIndex(value, ",")+1:]
	return offer{value, fitting(value, b.values(e, name), "")}
}

func (b *Bar) values(e env.Env, name string) []string {
	if !slices.Contains(b.Words.Names, name) || e.Snap == nil {
		return b.Words.Values[name]
	}
	var all []string
	for i := range e.Snap.Queues {
		switch name {
		case "queue":
			all = append(all, e.Snap.Queues[i].Name)
		case "folder":
			all = append(all, e.Snap.Queues[i].Folder)
		}
	}
	slices.Sort(all)
	return append(slices.Compact(all), b.Words.Values[name]...)
}

// fitting are the texts that go on from what is typed, each with its end. One
// that is typed in full is none; nor is anything offered for nothing but where
// values are few.
func fitting(typed string, all []string, end string) (fit []string) {
	if typed == "" && end != "" {
		return nil
	}
	for _, s := range all {
		if s += end; strings.HasPrefix(s, typed) && s != typed {
			fit = append(fit, s)
		}
	}
	return fit
}

// Complete takes over what is offered, and says whether there was anything: the
// beginning that all offers share, or where that is typed already the first.
func (b *Bar) Complete(e env.Env) bool {
	o := b.offer(e)
	if len(o.all) == 0 {
		return false
	}
	shared := o.all[0]
	for _, s := range o.all[1:] {
		for !strings.HasPrefix(s, shared) {
			shared = shared[:len(shared)-1]
		}
	}
	if len(shared) == len(o.typed) {
		shared = o.all[0]
	}
	b.field.Insert(shared[len(o.typed):])
	b.edited()
	return true
}

// half says that the word before the cursor may yet become the name of a field, or
// is one without its value.
func (b *Bar) half() bool {
	if !b.typing || !b.field.AtEnd() {
		return false
	}
	word := b.field.Before()
	word = strings.TrimPrefix(word[strings.LastIndex(word, " ")+1:], "!")
	return word != "" && slices.ContainsFunc(b.Words.Names, func(name string) bool { return strings.HasPrefix(name+":", word) })
}

// drawOffer writes what else could be meant, beside the field.
func (o offer) draw(e env.Env, c *paint.Canvas) {
	room := c.Width() - c.Col() - 3
	if len(o.all) < 2 || room < 8 {
		return
	}
	c.Gap(2)
	c.Put(themes.Muted, text.Truncate(text.Clean(strings.Join(o.all, "  ")), room, e.Glyphs.Ellipsis))
}
