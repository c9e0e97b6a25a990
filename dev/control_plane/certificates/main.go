// Command certificates FOLDER makes what a control plane on loopback needs to trust itself: a certificate
// authority (ca.crt, ca.key), a serving certificate for 127.0.0.1 and the names of the services that stand behind
// admission webhooks (tls.crt, tls.key), and the key that signs service account tokens (sa.key).
//
// The training operator's certificate rotator reads RSA keys in PKCS#1 form, and keeps a certificate authority that
// bears its own name: hence both.
package main

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

const authority = "training-operator-ca"

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: certificates FOLDER")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func write(folder string) error {
	keys := make([]*rsa.PrivateKey, 3)
	for i, name := range []string{"ca.key", "tls.key", "sa.key"} {
		key, err := rsa.GenerateKey(rand.Reader, 2048)
		if err != nil {
			return err
		}
		keys[i] = key
		if err := writePEM(folder, name, "RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(key)); err != nil {
			return err
		}
	}
	from := time.Now().Add(-time.Hour)
	ca := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: authority},
		DNSNames:              []string{authority},
		NotBefore:             from,
		NotAfter:              from.AddDate(10, 0, 0),
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		BasicConstraintsValid: true,
		IsCA:                  true,
	}
	serving := &x509.Certificate{
		SerialNumber: big.NewInt(2),
		Subject:      pkix.Name{CommonName: "127.0.0.1"},
		DNSNames:     []string{"localhost", "kubernetes.default.svc", "training-operator.kubeflow.svc"},
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore:    from,
		NotAfter:     ca.NotAfter,
		KeyUsage:     x509.KeyUsageDigitalSignature | x509.KeyUsageKeyEncipherment,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	for name, template := range map[string]*x509.Certificate{"ca.crt": ca, "tls.crt": serving} {
		key := keys[0]
		if template == serving {
			key = keys[1]
		}
		der, err := x509.CreateCertificate(rand.Reader, template, ca, key.Public(), keys[0])
		if err != nil {
			return err
		}
		if err := writePEM(folder, name, "CERTIFICATE", der); err != nil {
			return err
		}
	}
	return nil
}

func writePEM(folder, name, kind string, der []byte) error {
	block := pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
	return os.WriteFile(filepath.Join(folder, name), block, 0o600)
}
