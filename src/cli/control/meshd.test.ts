import { describe, expect, test } from 'vitest';
import { variables } from '../../config/variables.ts';
import { otlpVariables } from '../../control/trace/otlp-settings.ts';
import { runInProcess } from '../testing/run-in-process.ts';
import { runMeshd } from './meshd.ts';

const run = (line: string, environment?: Readonly<Record<string, string>>) => runInProcess(runMeshd, line, environment);

describe('runMeshd', () => {
  test('prints its help, with defaults and every variable that counts', async () => {
    const { code, stdout } = await run('serve --help');
    expect(code).toBe(0);
    expect(stdout).toMatch(/--monitoringAddr <host:port>[^-]*\(default: :15014\)/);
    const named = new Set(stdout.match(/^ {2}[A-Z][A-Z_]+/gm)?.map((name) => name.trim()));
    expect(named.has('TRUST_DOMAIN') && named.has('PILOT_CERT_PROVIDER')).toBe(true);
    const known = new Set<string>([...variables, ...otlpVariables].map(({ name }) => name));
    expect([...named].filter((name) => !known.has(name))).toEqual([]);
  });

  test('prints its version', async () => {
    expect(await run('version -s')).toMatchObject({ code: 0, stdout: 'unknown\n' });
  });

  test.each<[string, Readonly<Record<string, string>>, RegExp]>([
    ['sevre', {}, /^meshd: unknown command "sevre", did you mean "serve"\?/],
    ['serve --lisen :1', {}, /^meshd: unknown option '--lisen'\n\(Did you mean --listen\?\)/],
    ['serve --listen 15012', {}, /host:port, \[ipv6\]:port or :port is expected/],
    ...['meshConfig', 'caFolder', 'tokenIssuerRoots', 'tokenKeys'].map(
      (name): [string, Readonly<Record<string, string>>, RegExp] => [
        `serve --${name}=`,
        {},
        /Expected a path: an empty text names no file and no folder/,
      ],
    ),
    ['serve --trust-domain A.example', {}, /--trust-domain .*Expected a trust domain/],
    ...['trust-domain', 'tokenIssuer', 'tokenAudience'].map(
      (name): [string, Readonly<Record<string, string>>, RegExp] => [
        `serve --${name}=`,
        {},
        /an empty text names nothing/,
      ],
    ),
    ['serve --csrRate 0', {}, /a whole number from 1 to 999999999 is expected/],
    ['serve --caKeyAlgorithm DSA', {}, /Allowed choices are ECDSA, RSA/],
    ['serve now', {}, /too many arguments for 'serve'/],
    ['serve', { ENABLE_CA_SERVER: 'maybe' }, /^meshd: ENABLE_CA_SERVER is "true" or "false", not "maybe"/],
    ['serve', { JWT_POLICY: 'some' }, /^meshd: JWT_POLICY is "third-party-jwt", "first-party-jwt", "none", not "some"/],
    ['serve --tokenKeys x', { JWT_POLICY: 'none' }, /^meshd: JWT_POLICY=none takes no tokens, but/],
    ['serve', { MESH_GPRC_MAXRECVMSGSIZE: '4 MiB' }, /^meshd: MESH_GPRC_MAXRECVMSGSIZE is a whole number from 1 to/],
    [
      'serve',
      { MESH_GPRC_MAXSTREAMS: '0' },
      /^meshd: MESH_GPRC_MAXSTREAMS is a whole number from 1 to 2147483647, not "0"/,
    ],
    ['serve', { MESHD_CUSTOM_HOST: 'a b' }, /^meshd: "a b" is no name for a server certificate/],
    ['serve', { PILOT_CERT_PROVIDER: 'kubernetes' }, /^meshd: not supported: PILOT_CERT_PROVIDER=kubernetes/],
    ['serve', { PILOT_CERT_PROVIDER: 'custom' }, /^meshd: PILOT_CERT_PROVIDER=custom needs PILOT_CERT_DIR/],
    [
      'serve --config .',
      { PILOT_ENABLE_CRD_VALIDATION: 'true' },
      /^meshd: PILOT_ENABLE_CRD_VALIDATION has an effect with --kubernetes alone/,
    ],
    ['serve', { DNS_ADDR: ':53' }, /^meshd: DNS_ADDR has an effect with --config, --git or --kubernetes alone/],
    ['serve --dnsTlsAddr :853', {}, /^meshd: --dnsTlsAddr has an effect with --config, --git or --kubernetes alone/],
    ['serve --config .', { DNS_ADDR: '53' }, /^meshd: DNS_ADDR is an address like ":15053".* not "53"$/m],
    [
      'serve --config .',
      { PILOT_ENABLE_INCREMENTAL_MCP: 'true' },
      /^meshd: PILOT_ENABLE_INCREMENTAL_MCP has an effect with configSources xds:\/\/HOST:PORT alone/,
    ],
    ['serve', { CENTRAL_ISTIOD: 'maybe' }, /^meshd: CENTRAL_ISTIOD is "true" or "false", not "maybe"/],
    ['serve', { NAMESPACE: 'a', MESH_NAMESPACE: 'b' }, /^meshd: NAMESPACE is "a", and MESH_NAMESPACE "b"/],
    ['serve', { MESH_NAMESPACE: '..' }, /^meshd: MESH_NAMESPACE is "..", expected the name of a namespace/],
    [
      'serve --config .',
      { PILOT_ENABLE_STATUS: 'true' },
      /^meshd: PILOT_ENABLE_STATUS has an effect with --kubernetes alone/,
    ],
    [
      'serve --config .',
      { PILOT_ENABLED_SERVICE_APIS: 'true', PILOT_STATUS_BURST: '5' },
      /^meshd: PILOT_STATUS_BURST has an effect with --kubernetes alone/,
    ],
    [
      'serve --kubernetes',
      { PILOT_STATUS_QPS: '5' },
      /^meshd: PILOT_STATUS_QPS has an effect with PILOT_ENABLE_STATUS, PILOT_ENABLE_ANALYSIS or/,
    ],
    [
      'serve --kubernetes',
      { PILOT_ENABLE_STATUS: 'true', PILOT_STATUS_QPS: '0.0' },
      /^meshd: PILOT_STATUS_QPS is a number above 0, not "0.0"/,
    ],
    ['serve', { PILOT_ENABLE_ANALYSIS: 'true' }, /^meshd: PILOT_ENABLE_ANALYSIS has an effect with --kubernetes alone/],
    ['serve', { PILOT_ENABLE_STATUS: 'maybe' }, /^meshd: PILOT_ENABLE_STATUS is "true" or "false"/],
    ['serve --config .', { OTEL_EXPORTER_OTLP_ENDPOINT: 'host:4318' }, /^meshd: OTEL_EXPORTER_OTLP_ENDPOINT is a URL/],
    ['serve --git .', {}, /^meshd: --git needs --rev, for example --rev main/],
    ['serve --rev main', {}, /^meshd: --rev has an effect with --git alone/],
    ['serve --git . --rev main --config .', {}, /^meshd: --config and --git are places of one mesh/],
    ['serve --git . --rev main --kubernetes', {}, /^meshd: --git and --kubernetes are places of one mesh/],
    ['serve --git . --rev main~1', {}, /HEAD, a branch, a tag, the full name of a reference.* is expected/],
    ['serve --git . --rev main:../x', {}, /a folder of the revision, without ".." is expected/],
    [
      'serve --git . --rev main',
      { ENABLE_CA_SERVER: 'false' },
      /--config, --git and --kubernetes need the TLS listener/,
    ],
    ['serve --config . --debugAddr :15013', {}, /^meshd: --debugAddr needs --tokenIssuer, --tokenKeys or --kubernetes/],
    [
      'serve --tokenKeys k --debugAddr :15013',
      {},
      /^meshd: --debugAddr has an effect with --config, --git or --kubernetes alone/,
    ],
    ['serve --tokenIssuer kubernetes', {}, /^meshd: --tokenIssuer is a URL where no --tokenKeys are given/],
    ['serve --listen :0', { ENABLE_CA_SERVER: 'false' }, /^meshd: --listen needs a certificate/],
  ])('refuses %j with %j with 2', async (line, environment, message) => {
    const { code, stderr } = await run(line, environment);
    expect(stderr).toMatch(message);
    expect(code).toBe(2);
  });

  test.each<[string, Readonly<Record<string, string>>, number, RegExp]>([
    ['serve --meshConfig /no/such/file', {}, 3, /cannot read the mesh configuration "\/no\/such\/file"/],
    ['serve --caFolder /dev/null/x --monitoringAddr 127.0.0.1:0', {}, 3, /authority in "\/dev\/null\/x": /],
    ['serve --caFolder /proc/ca --monitoringAddr 127.0.0.1:0', {}, 3, /authority in "\/proc\/ca": /],
    ['serve', { TRUST_DOMAIN: 'a b' }, 1, /^$/],
    ['serve --git /proc --rev main', {}, 3, /^meshd: "\/proc" is no git repository$/m],
    [
      'serve --git /no/such --rev main',
      {},
      3,
      /^meshd: cannot open the repository "\/no\/such": no such file or directory/,
    ],
  ])('answers %j with %j by its exit code %d', async (line, environment, expected, message) => {
    const { code, stderr } = await run(line, environment);
    expect(stderr).toMatch(message);
    expect(code).toBe(expected);
  });
});
