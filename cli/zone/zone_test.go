package zone_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"signalbox/cli/zone"
)

func TestTheLocalZoneHasItsName(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	local := func(like *time.Location) *time.Location { // as Go has it from a link
		_, offset := time.Now().In(like).Zone()
		return time.FixedZone(zone.Unnamed, offset)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "usr", "zoneinfo", "Asia", "Tokyo")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	link, plain := filepath.Join(dir, "link"), filepath.Join(dir, "plain")
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(plain, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	tokyo := time.FixedZone("", 9*3600)
	for name, test := range map[string]struct {
		local *time.Location
		link  string
		want  string
	}{
		"named already":   {berlin, link, "Europe/Berlin"},
		"by the link":     {local(tokyo), link, "Asia/Tokyo"},
		"by a path in TZ": {time.FixedZone("/usr/share/zoneinfo/Asia/Tokyo", 9*3600), plain, "Asia/Tokyo"},
		"another's link":  {local(time.UTC), link, zone.Unnamed},
		"a copy":          {local(tokyo), plain, zone.Unnamed},
		"none":            {local(tokyo), filepath.Join(dir, "none"), zone.Unnamed},
	} {
		if got := zone.Named(test.local, test.link).String(); got != test.want {
			t.Errorf("%s: it is %q, want %q", name, got, test.want)
		}
	}
}
