import { describe, expect, test } from 'vitest';
import { readStatusSettings, type StatusVariables } from './status-settings.ts';

const read = (variables: Partial<StatusVariables>) =>
  readStatusSettings({
    role: 'sidecar',
    appProbers: undefined,
    metricsAnnotations: undefined,
    probesLocalhost: false,
    podAddress: '10.0.0.1',
    ownPorts: [15120],
    ...variables,
  });

const live = '/app-health/app/livez';

describe('readStatusSettings', () => {
  test('has no probes and no scrape targets when no variable is set', () => {
    const nothing = { probes: new Map(), scrapeTargets: [], podAddress: '10.0.0.1' };
    expect(read({})).toEqual({ ok: true, settings: nothing });
    expect(read({ appProbers: '', probesLocalhost: true })).toEqual({
      ok: true,
      settings: { ...nothing, podAddress: undefined },
    });
  });

  test('reads a probe of each kind', () => {
    const appProbers = JSON.stringify({
      [live]: {
        httpGet: {
          path: 'healthz?full',
          port: 8443,
          scheme: 'HTTPS',
          host: 'ignored.example.com',
          httpHeaders: [
            { name: 'host', value: 'app.example.com' },
            { name: 'X-Probe', value: 'yes' },
          ],
        },
        periodSeconds: 10,
      },
      '/app-health/app/readyz': { tcpSocket: { port: 9000 }, timeoutSeconds: 3 },
      '/app-health/app/startupz': { grpc: { port: 9001, service: 'shop.Cart' }, timeoutSeconds: 0 },
    });
    const answer = read({ appProbers });
    expect(answer.ok && [...answer.settings.probes]).toEqual([
      [
        live,
        {
          timeoutMs: 1_000,
          action: {
            kind: 'http',
            port: 8443,
            isTls: true,
            path: '/healthz?full',
            host: 'app.example.com',
            headers: [['X-Probe', 'yes']],
            reservedPorts: expect.any(Set),
          },
        },
      ],
      ['/app-health/app/readyz', { timeoutMs: 3_000, action: { kind: 'tcp', port: 9000 } }],
      ['/app-health/app/startupz', { timeoutMs: 1_000, action: { kind: 'grpc', port: 9001, service: 'shop.Cart' } }],
    ]);
  });

  test.each<[string, string, RegExp]>([
    [
      'a named port',
      `{\n  "${live}": {"httpGet": {"port": "http"}}}`,
      /^MESH_APP_PROBERS:2:49: \["\/app-health\/app\/livez"\]\.httpGet\.port: a port number is expected, not "http"$/,
    ],
    [
      'a port of the proxy',
      `{"${live}": {"tcpSocket": {"port": 15120}}}`,
      /the port belongs to the proxy, not "15120"$/,
    ],
    ['no port', `{"${live}": {"tcpSocket": {}}}`, /port: a port number is expected, not "nothing"$/],
    [
      'two kinds',
      `{"${live}": {"httpGet": {"port": 1}, "grpc": {"port": 1}}}`,
      /exactly one of .*, not "httpGet, grpc"/,
    ],
    ['no kind', `{"${live}": {}}`, /exactly one of httpGet, tcpSocket and grpc is expected, not "none"/],
    ['another path', '{"/health/livez": {"tcpSocket": {"port": 1}}}', /the key is .* not "\/health\/livez"/],
    ['a deeper path', '{"/app-health/a/b/livez": {"tcpSocket": {"port": 1}}}', /the key is /],
    [
      'an unknown field',
      `{"${live}": {"exec": {}, "tcpSocket": {"port": 1}}}`,
      /not known here; known are .*not "exec"/,
    ],
    ['a time of days', `{"${live}": {"tcpSocket": {"port": 1}, "timeoutSeconds": 1e9}}`, /seconds from 0 to 3600/],
    ['a scheme', `{"${live}": {"httpGet": {"port": 1, "scheme": "https"}}}`, /"HTTP" or "HTTPS" is expected/],
    [
      'a header that frames',
      `{"${live}": {"httpGet": {"port": 1, "httpHeaders": [{"name": "Connection", "value": "x"}]}}}`,
      /httpHeaders\[0\]: this header cannot be set, not "Connection"/,
    ],
    ['a line end', `{"${live}": {"httpGet": {"port": 1, "path": "/a\\nb"}}}`, /a path of visible ASCII/],
    ['a probe that is none', `{"${live}": 1}`, /livez"\]: an object is expected$/],
    ['a list', '[]', /^MESH_APP_PROBERS:1:1: an object is expected$/],
    [
      'a key twice',
      `{"${live}": {"tcpSocket": {"port": 1, "port": 2}}}`,
      /^MESH_APP_PROBERS:1:53: this key stands here twice$/,
    ],
    ['a comma too many', '{"a": 1,}', /^MESH_APP_PROBERS:1:9: a key in double quotes is expected$/],
    ['two values', '{} {}', /^MESH_APP_PROBERS:1:4: nothing may follow the value$/],
    ['an open string', '{"a": "sec', /^MESH_APP_PROBERS:1:7: a JSON value is expected$/],
    ['a bare word', '{"a": secret}', /^MESH_APP_PROBERS:1:7: a JSON value is expected$/],
  ])('refuses a probe map with %s, and says where', (_name, appProbers, problem) => {
    const answer = read({ appProbers });
    expect(answer).toEqual({ ok: false, problems: [expect.stringMatching(problem)] });
  });

  test('quotes no value of a header in an error', () => {
    const appProbers = `{"${live}": {"httpGet": {"port": 1, "httpHeaders": [{"name": "authorization", "value": "s3c\\u0001ret"}]}}`;
    for (const text of [appProbers, `${appProbers}}`]) {
      expect(JSON.stringify(read({ appProbers: text }))).not.toMatch(/s3c|ret"/);
    }
  });

  test('reports every problem of both variables', () => {
    const appProbers = `{"${live}": {}, "x": {}}`;
    const answer = read({ appProbers, metricsAnnotations: '{"port": 9090}' });
    expect(answer.ok ? [] : answer.problems).toHaveLength(4);
  });

  test.each<[string, readonly object[]]>([
    ['{}', [{ port: 80, path: '/metrics' }]],
    ['{"scrape": "true", "path": "stats?all", "port": "9090"}', [{ port: 9090, path: '/stats?all' }]],
    ['{"scrape": "false", "port": "9090"}', []],
    [
      '{"targets": [{"port": "1"}, {"port": "2", "path": "/m"}]}',
      [
        { port: 1, path: '/metrics' },
        { port: 2, path: '/m' },
      ],
    ],
  ])('reads the metrics annotations %s', (metricsAnnotations, targets) => {
    const answer = read({ metricsAnnotations });
    expect(answer.ok && answer.settings.scrapeTargets).toEqual(targets);
  });

  test.each<[string, RegExp]>([
    ['', /^MESH_METRICS_ANNOTATIONS:1:1: a JSON value is expected$/],
    ['{"port": "15020"}', /^MESH_METRICS_ANNOTATIONS:1:10: port: the port 15020 belongs to the proxy$/],
    ['{"port": "015020"}', /the port 15020 belongs to the proxy$/],
    ['{"port": "15120"}', /the port 15120 belongs to the proxy$/],
    ['{"port": "15053"}', /the port 15053 belongs to the proxy$/],
    ['{"targets": [{"port": "15090"}]}', /:1:23: targets\[0\]\.port: the port 15090 belongs to the proxy$/],
    ['{"port": 9090}', /a port number is expected, as a text/],
    ['{"port": "http"}', /a port number is expected, as a text/],
    ['{"scrape": false}', /"true" or "false" is expected, as a text/],
    ['{"targets": [], "port": "1"}', /either targets or path and port/],
    ['{"prot": "1"}', /prot: this field is not known here; known are scrape, path, port, targets$/],
  ])('refuses the metrics annotations %s', (metricsAnnotations, problem) => {
    expect(read({ metricsAnnotations })).toEqual({ ok: false, problems: [expect.stringMatching(problem)] });
  });

  test('reads no metrics annotations for a router', () => {
    expect(read({ role: 'router', metricsAnnotations: '{"port": "15020"}' }).ok).toBe(true);
  });
});
