package item

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"slices"
	"strconv"
	"strings"

	"signalbox/themes"
	"signalbox/tui/text"
)

// hidden stands for a masked value.
func hidden(g *themes.Glyphs) text.Safe {
	if g.Ellipsis != text.Ellipsis {
		return "****"
	}
	return "••••"
}

// run is a piece of a line in one style.
type run struct {
	role themes.Role
	text text.Safe
}

// line is a line of the page.
type line []run

// printer writes JSON as indented, coloured lines, in the order in which it
// was written, with masked fields hidden.
type printer struct {
	dec   *json.Decoder
	mask  map[string]bool
	hides text.Safe // what stands for a masked value
	lines []line
	cur   line
	folds []fold
	veils int // values hidden
}

// fold is an object or array of more than one line.
type fold struct {
	path       string // where it stands in the document
	start, end int    // its lines
	n          int    // how many values it holds
	object     bool
}

// read lays JSON out, with what of it can be folded. What is no JSON is given
// as it stands.
func read(raw []byte, mask []string, hides text.Safe) *printer {
	p := &printer{dec: json.NewDecoder(bytes.NewReader(raw)), mask: map[string]bool{}, hides: hides}
	p.dec.UseNumber()
	for _, name := range mask {
		p.mask[strings.ToLower(name)] = true
	}
	if err := p.value("", "", 0); err != nil {
		return &printer{lines: plain(string(raw))}
	}
	p.end()
	slices.SortFunc(p.folds, func(a, b fold) int { return cmp.Compare(a.start, b.start) })
	return p
}

// plain gives text as lines without a style of their own.
func plain(s string) []line {
	var lines []line
	for _, l := range text.CleanLines(s) {
		lines = append(lines, line{{themes.Text, l}})
	}
	return lines
}

func (p *printer) put(r themes.Role, s text.Safe) { p.cur = append(p.cur, run{r, s}) }

func (p *printer) end() {
	if p.cur != nil {
		p.lines = append(p.lines, p.cur)
		p.cur = nil
	}
}

func (p *printer) indent(depth int) {
	p.end()
	p.put(themes.Text, text.Safe(strings.Repeat("  ", min(depth, 40))))
}

// value writes the next value of the stream. It stands at path as masks name
// it, which leave places in arrays out, and at place as nothing else does.
func (p *printer) value(path, place string, depth int) error {
	token, err := p.dec.Token()
	if err != nil {
		return err
	}
	switch t := token.(type) {
	case json.Delim:
		return p.compound(t, path, place, depth)
	case string:
		p.put(themes.JSONString, quote(t))
	case json.Number:
		p.put(themes.JSONNumber, text.Clean(t.String()))
	case bool:
		p.put(themes.JSONWord, text.Safe(map[bool]string{true: "true", false: "false"}[t]))
	case nil:
		p.put(themes.JSONWord, "null")
	}
	return nil
}

func (p *printer) compound(open json.Delim, path, place string, depth int) error {
	end := map[json.Delim]text.Safe{'{': "}", '[': "]"}[open]
	p.put(themes.Muted, text.Safe(open.String()))
	start, n := len(p.lines), 0
	for ; p.dec.More(); n++ {
		if n > 0 {
			p.put(themes.Muted, ",")
		}
		p.indent(depth + 1)
		at := path
		if open == '{' {
			name, err := p.name()
			if err != nil {
				return err
			}
			at = strings.TrimPrefix(path+"."+strings.ToLower(name), ".")
			if p.masked(at, strings.ToLower(name)) {
				if err := p.skip(); err != nil {
					return err
				}
				continue
			}
		}
		inside := place + "." + strings.TrimPrefix(at, path)
		if open == '[' {
			inside = place + "[" + strconv.Itoa(n) + "]"
		}
		if err := p.value(at, inside, depth+1); err != nil {
			return err
		}
	}
	if _, err := p.dec.Token(); err != nil {
		return err
	}
	if last := len(p.cur); last == 0 || p.cur[last-1].text != text.Safe(open.String()) {
		p.indent(depth)
		p.folds = append(p.folds, fold{place, start, len(p.lines), n, open == '{'})
	}
	p.put(themes.Muted, end)
	return nil
}

func (p *printer) name() (string, error) {
	token, err := p.dec.Token()
	if err != nil {
		return "", err
	}
	name, ok := token.(string)
	if !ok {
		return "", io.ErrUnexpectedEOF
	}
	p.put(themes.JSONKey, quote(name))
	p.put(themes.Muted, ": ")
	return name, nil
}

// masked says that a field is hidden: by its path, or by its name wherever it
// stands.
func (p *printer) masked(path, name string) bool { return p.mask[path] || p.mask[name] }

// skip passes over a hidden value, whatever it holds.
func (p *printer) skip() error {
	var raw json.RawMessage
	if err := p.dec.Decode(&raw); err != nil {
		return err
	}
	p.put(themes.Muted, p.hides)
	p.veils++
	return nil
}

// quote writes a string as JSON does, so that what a terminal would obey is
// seen as an escape.
func quote(s string) text.Safe {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		return text.Clean(s)
	}
	return text.Clean(strings.TrimSuffix(b.String(), "\n"))
}
