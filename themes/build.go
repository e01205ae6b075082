package themes

import (
	"errors"
	"fmt"
	"image/color"
	"slices"
	"strings"
)

// errUnread marks a look whose colour is in the palette but could not be read;
// the colour itself has been told already.
var errUnread = errors.New("its colour could not be read")

// builder turns a source into looks and keeps what is wrong with it.
type builder struct {
	source *source
	shades map[string]shade
	wrong  []error
	bad    []Role
}

// build makes a theme of s. The roles that are missing or cannot be read are
// returned; the caller fills them.
func build(s *source) (*Theme, []Role, []error) {
	b := &builder{source: s, shades: map[string]shade{}}
	for _, name := range sortedKeys(s.palette) {
		b.addShade(name, s.palette[name])
	}
	t := &Theme{Name: s.name, Dark: s.dark, contrast: s.contrast}
	t.background = b.ground(s.background, "background", color.Black)
	t.foreground = b.ground(s.foreground, "foreground", color.White)
	b.unknownRoles()
	for r := range roles {
		b.addRole(t, r)
	}
	return t, b.bad, b.wrong
}

func (b *builder) fault(e entry, thing, rule, mend string) {
	b.wrong = append(b.wrong, e.fault(thing, rule, mend))
}

// ground reads a colour that the terminal is taken to have. It is never
// painted, only measured against.
func (b *builder) ground(e entry, name string, otherwise color.Color) color.Color {
	if e.value == nil {
		return otherwise
	}
	c, ok := parseColor(fmt.Sprint(e.value))
	if !ok || c == nil {
		b.fault(e, name, fmt.Sprintf("%q is no colour", e.value), "write it as #rrggbb")
		return otherwise
	}
	return c
}

// addShade reads a palette entry: a colour, or [true colour, 256, 16].
func (b *builder) addShade(name string, e entry) {
	parts := fields(e.value)
	if len(parts) == 0 || len(parts) > int(noColor) {
		b.fault(e, "colour "+name, "it is no colour", `write "#rrggbb" or ["#rrggbb", 0-255, 0-15]`)
		return
	}
	var s shade
	for i, part := range parts {
		c, ok := parseColor(part)
		if !ok {
			b.fault(e, "colour "+name, fmt.Sprintf("%q is no colour", part), "use #rrggbb, 0-255, default or "+strings.Join(basicColors(), ", "))
			return
		}
		near := spread(c)
		copy(s[i:], near[i:])
	}
	b.shades[name] = s
}

// fields gives a value or a list of values as words.
func fields(value any) []string {
	list, ok := value.([]any)
	if !ok {
		list = []any{value}
	}
	words := make([]string, len(list))
	for i, v := range list {
		switch v.(type) {
		case string, int64:
			words[i] = fmt.Sprint(v)
		default:
			return nil
		}
	}
	return words
}

func (b *builder) unknownRoles() {
	names := roleNames()
	for _, name := range sortedKeys(b.source.roles) {
		if !slices.Contains(names[:], name) {
			b.fault(b.source.roles[name], "role "+name, "there is no such role", suggest(name, names[:]))
		}
	}
}

// addRole reads a role: a look, or [look, look in 16 colours, look without].
func (b *builder) addRole(t *Theme, r Role) {
	e, ok := b.source.roles[r.String()]
	if !ok {
		b.bad = append(b.bad, r)
		b.fault(b.source.section, "role "+r.String(), "it is missing", "define it, or inherit a theme that does")
		return
	}
	parts := fields(e.value)
	if len(parts) == 0 || len(parts) > 3 {
		b.bad = append(b.bad, r)
		b.fault(e, "role "+r.String(), "it is no look", `write "COLOUR on COLOUR bold", or a list of up to three`)
		return
	}
	paints := make([]paint, len(parts))
	for i, part := range parts {
		p, err := b.paint(part)
		if err != nil {
			b.bad = append(b.bad, r)
			if errors.Is(err, errUnread) {
				return
			}
			b.fault(e, "role "+r.String(), err.Error(), "use a colour of the palette, #rrggbb, 0-255 or a name, then bold, faint, italic, underline or reverse")
			return
		}
		paints[i] = p
	}
	last := len(paints) - 1
	for l, from := range [levels]int{0, 0, min(1, last), min(2, last)} {
		t.looks[l][r] = paints[from].at(level(l))
	}
}

// paint reads "ink on slate bold".
func (b *builder) paint(words string) (paint, error) {
	var p paint
	behind, front := false, false
	for _, word := range strings.Fields(words) {
		if word == "on" && !behind && !p.surface {
			behind = true
			continue
		}
		if a, ok := attribute(word); ok && !behind {
			p.attrs |= a
			continue
		}
		s, err := b.shade(word)
		switch {
		case err != nil:
			return p, err
		case behind:
			p.bg, p.surface, behind = s, true, false
		case front:
			return p, fmt.Errorf("%q is a second colour", word)
		default:
			p.fg, front = s, true
		}
	}
	if behind {
		return p, errors.New("nothing follows \"on\"")
	}
	return p, nil
}

func (b *builder) shade(word string) (shade, error) {
	if s, ok := b.shades[word]; ok {
		return s, nil
	}
	if _, ok := b.source.palette[word]; ok {
		return shade{}, errUnread
	}
	c, ok := parseColor(word)
	if !ok {
		return shade{}, fmt.Errorf("there is no colour or attribute %q", word)
	}
	return spread(c), nil
}
