package boot

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"time"
)

// certificate writes cert.pem and key.pem for MariaDB into dir. slurmdbd insists
// on TLS. MariaDB's own certificate is valid from the real time of the boot on, and
// slurmdbd, whose virtual time may be earlier, would refuse it.
func certificate(dir string, uid int) (cert, key string, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("make certificate: %w", err)
		}
	}()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return "", "", err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		Subject:      pkix.Name{CommonName: "slurmlab"},
		NotBefore:    time.Date(1990, time.January, 1, 0, 0, 0, 0, time.UTC),
		NotAfter:     time.Date(2049, time.January, 1, 0, 0, 0, 0, time.UTC),
	}
	public, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		return "", "", err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return "", "", err
	}
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for path, block := range map[string]*pem.Block{
		cert: {Type: "CERTIFICATE", Bytes: public},
		key:  {Type: "PRIVATE KEY", Bytes: secret},
	} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			return "", "", err
		}
		if err := os.Chown(path, uid, -1); err != nil {
			return "", "", err
		}
	}
	return cert, key, nil
}
