// Asks a webhook as an API server does, for bench/injecting.ts: HTTP/1.1 by Go's own client, with as many idle connections
// as an API server keeps for a webhook (25 of k8s.io/client-go/transport). Reads an order from standard input, and writes
// what it has measured to standard output, both as JSON.
package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// One measurement.
type order struct {
	URL        string
	Root       string
	ServerName string
	// Idle connections that are kept; 0: each request has its own.
	Idle int
	// Bursts that are not measured, and bursts that are.
	WarmUp, Rounds int
	// Requests at once.
	AtOnce  int
	Reviews []string
}

type measured struct {
	// Of each request, in milliseconds.
	Times []float64
	// Connections that were made for the measured requests.
	Connections int64
	// Processor time of this program for the measured requests, in milliseconds.
	CPU float64
	// Answers that are no patch.
	Unpatched int64
}

func main() {
	var given order
	if err := json.NewDecoder(os.Stdin).Decode(&given); err != nil {
		fail(err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM([]byte(given.Root)) {
		fail(fmt.Errorf("the root is no certificate"))
	}
	var connections atomic.Int64
	dialer := &net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}
	client := &http.Client{Transport: &http.Transport{
		TLSHandshakeTimeout: 10 * time.Second,
		TLSClientConfig:     &tls.Config{RootCAs: roots, ServerName: given.ServerName, NextProtos: []string{"http/1.1"}},
		MaxIdleConnsPerHost: given.Idle,
		DisableKeepAlives:   given.Idle == 0,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			connections.Add(1)
			return dialer.DialContext(ctx, network, address)
		},
	}}
	result := measured{}
	for round := 0; round < given.WarmUp; round++ {
		burst(client, &given, nil)
	}
	before, connectionsBefore := cpu(), connections.Load()
	for round := 0; round < given.Rounds; round++ {
		burst(client, &given, &result)
	}
	result.CPU = cpu() - before
	result.Connections = connections.Load() - connectionsBefore
	if err := json.NewEncoder(os.Stdout).Encode(result); err != nil {
		fail(err)
	}
}

// Sends as many requests as are to be at once, and waits for all answers.
func burst(client *http.Client, given *order, result *measured) {
	times := make([]float64, given.AtOnce)
	var unpatched atomic.Int64
	var all sync.WaitGroup
	for i := range given.AtOnce {
		all.Go(func() {
			start := time.Now()
			answer, err := ask(client, given.URL, given.Reviews[i%len(given.Reviews)])
			if err != nil {
				fail(err)
			}
			times[i] = float64(time.Since(start).Microseconds()) / 1000
			if !strings.Contains(answer, `"patch":"`) {
				unpatched.Add(1)
			}
		})
	}
	all.Wait()
	if result != nil {
		result.Times = append(result.Times, times...)
		result.Unpatched += unpatched.Load()
	}
}

func ask(client *http.Client, url, review string) (string, error) {
	response, err := client.Post(url, "application/json", strings.NewReader(review))
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("answered with %d: %s", response.StatusCode, answer)
	}
	return string(answer), err
}

func cpu() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		fail(err)
	}
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e6
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
