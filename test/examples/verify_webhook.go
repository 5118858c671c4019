// Verifies a webhook. Usage: WEBHOOK_SECRET=whsec_… go run verify_webhook.go HEADER < body
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
)

const toleranceSeconds = 300

// isValid takes the header X-Service-Signature and the raw bytes of the request.
func isValid(secret, header string, body []byte) bool {
	sentAt := ""
	var signatures []string
	for _, item := range strings.Split(header, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(item), "=")
		switch name {
		case "t":
			if sentAt != "" {
				return false
			}
			sentAt = value
		case "v1":
			signatures = append(signatures, value)
		}
	}
	seconds, err := strconv.ParseInt(sentAt, 10, 64)
	if err != nil {
		return false
	}
	age := time.Now().Unix() - seconds
	if age > toleranceSeconds || age < -toleranceSeconds {
		return false
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(sentAt + "."))
	mac.Write(body)
	expected := mac.Sum(nil)
	for _, signature := range signatures {
		if given, err := hex.DecodeString(signature); err == nil && hmac.Equal(given, expected) {
			return true
		}
	}
	return false
}

func main() {
	body, err := io.ReadAll(os.Stdin)
	if err != nil {
		panic(err)
	}
	if isValid(os.Getenv("WEBHOOK_SECRET"), os.Args[1], body) {
		fmt.Println("valid")
	} else {
		fmt.Println("invalid")
	}
}
