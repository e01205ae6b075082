package cli

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"os"

	"signalbox/engine"
	"signalbox/store"
)

// keyVariable names the file that holds the key of encrypted queues.
const keyVariable = "SIGNALBOX_KEY_FILE"

// key reads the key of encrypted queues: 32 bytes as they are, in hexadecimal or
// in base64. None is nil.
func (a *app) key() ([]byte, error) {
	path := a.Getenv(keyVariable)
	if path == "" {
		return nil, nil
	}
	thing := keyVariable + " " + path
	info, err := os.Stat(path)
	if err != nil {
		return nil, usage(thing, "it can't be read: "+reasonOf(err).Error(), "name a file with 32 bytes")
	}
	if info.Mode().Perm()&0o077 != 0 {
		return nil, &store.Error{
			Code: store.CodeForbidden, Thing: thing, Rule: fmt.Sprintf("others may use it (mode %04o)", info.Mode().Perm()), Mend: "close it with `chmod 600 " + path + "`",
		}
	}
	if info.Size() > 1024 {
		return nil, usage(thing, "it is no key: too long", "make one with `head -c 32 /dev/urandom`")
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, usage(thing, "it can't be read: "+reasonOf(err).Error(), "name a file with 32 bytes")
	}
	if key := parseKey(b); key != nil {
		return key, nil
	}
	return nil, usage(thing, "it holds no key: 32 bytes as they are, in hexadecimal or in base64", "make one with `head -c 32 /dev/urandom`")
}

func parseKey(b []byte) []byte {
	if len(b) == engine.KeySize {
		return b
	}
	text := string(bytes.TrimSpace(b))
	for _, decode := range []func(string) ([]byte, error){
		hex.DecodeString, base64.StdEncoding.DecodeString, base64.RawStdEncoding.DecodeString, base64.URLEncoding.DecodeString, base64.RawURLEncoding.DecodeString,
	} {
		if key, err := decode(text); err == nil && len(key) == engine.KeySize {
			return key
		}
	}
	return nil
}
