import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { agentVariables } from '../../config/agent-variables.ts';
import { foldBooleans } from './flags.ts';
import { unsupportedVariables } from './refuse.ts';
import { runLine as run } from './testing/run-line.ts';
import { readSpecificationFlags } from './testing/specification-flags.ts';
import { formatVersion } from './version.ts';

afterEach(() => vi.restoreAllMocks());

describe('runPilotAgent', () => {
  test('prints its help without a command', async () => {
    const { code, stdout } = await run('');
    expect(code).toBe(0);
    expect(stdout).toContain('Usage: pilot-agent');
  });

  test.each<[string, Readonly<Record<string, string>>, RegExp]>([
    [
      'proxy --polices x',
      {},
      /^pilot-agent: unknown option '--polices'\n\(Did you mean --policies\?\)\n\n?\(pilot-agent proxy --help says more\)\n$/,
    ],
    ['proxx', {}, /^pilot-agent: unknown command "proxx", did you mean "proxy"\?/],
    ...['policies', 'meshConfig', 'templateFile', 'proxyBinary', 'outlierLogPath', 'log_rotate', 'log_target'].map(
      (name): [string, Readonly<Record<string, string>>, RegExp] => [
        `proxy --id a.b --${name}=`,
        {},
        /Expected a path: an empty text names no file and no folder\./i,
      ],
    ),
    ['proxy --id a.b --serviceCluster=', {}, /an empty text names nothing/],
    ['proxy --concurrency x', {}, /^pilot-agent: .* a whole number is expected/],
    ['proxy --proxyLogLevel loud', {}, /Allowed choices are trace, debug/],
    ['proxy ingress', {}, /the role is "sidecar" or "router", not "ingress"/],
    ['proxy --stsPort 65536', {}, /a port is at most 65535/],
    ['proxy --tokenManagerPlugin CloudTokenExchnge', {}, /did you mean "CloudTokenExchange"\?/],
    ['proxy --tokenManagerPlugin vault', {}, /choices are CloudTokenExchange, GoogleTokenExchange\./],
    [
      'proxy --serviceregistry Clustr',
      {},
      /choices are Cluster, Catalog, Mock, Kubernetes, Consul, did you mean "Cluster"\?/,
    ],
    ['proxy --proxyLogLevel warn', {}, /Allowed choices are .*, did you mean "warning"\?/],
    ['proxy --proxyLogLevel debgu', {}, /Allowed choices are .*, did you mean "debug"\?/],
    [
      'proxy --proxyComponentLogLevel upstream:debgu',
      {},
      /"upstream:debgu" is no name:level .*, did you mean "debug"\?/,
    ],
    ['proxy --proxyComponentLogLevel upstream', {}, /"upstream" is no name:level/],
    ['proxy sidcar', {}, /the role is "sidecar" or "router", not "sidcar", did you mean "sidecar"\?/],
    ['proxy --log_output_level defualt:info', {}, /unknown scope "defualt", did you mean "default"\?/],
    ['proxy --log_output_level default:wran', {}, /unknown level "wran", did you mean "warn"\?/],
    ['proxy --newflag router', {}, /unknown option '--newflag'/],
    ['proxy --newflag=1 router', {}, /unknown option '--newflag=1'/],
    ['proxy router more', {}, /too many arguments for 'proxy'/],
    ['--log_caller sd proxy', {}, /--log_caller: unknown scope "sd", did you mean "sds"\?/],
    ['istio-iptables --log_caller nosuch', {}, /--log_caller: unknown scope "nosuch"/],
    ['istio-iptables --log_stacktrace_level loud', {}, /--log_stacktrace_level: unknown level "loud"/],
    ['proxy --log_output_level sds:loud', {}, /--log_output_level: unknown level "loud" \(debug, info, warn/],
    ['proxy --log_output_level nosuch:debug', {}, /unknown scope "nosuch"/],
    ['proxy', {}, /which workload is this\?/],
    ['proxy --id a.b --policies -', {}, /standard input cannot be followed/],
    ['proxy --id a.b', {}, /no policies: give --policies/],
    ['proxy --concurrency 1025', {}, /--concurrency .*at most 1024 worker threads/],
    ['proxy --configPath=', {}, /--configPath .*an empty text names nothing/],
    ['proxy --trust-domain=', {}, /--trust-domain .*an empty text names nothing/],
    ['proxy --trust-domain UPPER', {}, /--trust-domain .*Expected a trust domain/],
    ['proxy --ip=', {}, /--ip .*an empty text names nothing/],
    ['request GET', {}, /^pilot-agent: missing required argument 'path'/],
    ['request GET stats --debug-port 15090', {}, /--debug-port is one of 15000, 15020, 15021, 15004, not 15090/],
    ['request G(T stats', {}, /"G\(T" is no method of HTTP/],
    ['request GET stats\n', {}, /the path holds a character that must be %-encoded/],
    ['request POST logging?level=debug a b', {}, /too many arguments for 'request'/],
    ['wait now', {}, /too many arguments for 'wait'/],
    ['wait --url file:///ready', {}, /--url is no URL of HTTP: "file:\/\/\/ready"/],
    ['wait --requestTimeoutMillis 0', {}, /--requestTimeoutMillis is at least 1/],
    ['wait --periodMillis -1', {}, /a whole number is expected/],
    ['proxy sidecar surprise', {}, /too many arguments for 'proxy'/],
    ['version surprise', {}, /^pilot-agent: too many arguments for 'version'/],
    ['istio-iptables -n true', {}, /^pilot-agent: too many arguments for 'istio-iptables'/],
    ['istio-clean-iptables now', {}, /^pilot-agent: too many arguments for 'istio-clean-iptables'/],
    [
      'istio-iptables --run-validation=maybe',
      {},
      /^pilot-agent: --run-validation: "maybe" is neither true nor false\n$/,
    ],
    ['istio-clean-iptables -n=', {}, /^pilot-agent: -n: "" is neither true nor false\n$/],
    ['istio-iptables --proxy-prt 1', {}, /--proxy-port\?\)\n+\(pilot-agent istio-iptables --help says more\)\n$/],
    ['version -o xml', {}, /--output is "yaml" or "json", not "xml"/],
  ])('refuses %j with 2', async (line, environment, message) => {
    const { code, stderr, stdout } = await run(line, environment);
    expect(stderr).toMatch(message);
    expect(stdout).toBe('');
    expect(code).toBe(2);
  });

  test.each([
    ['mixerIdentity', ' x'],
    ['pilotIdentity', ' x'],
    ['disableInternalTelemetry', ''],
  ])('accepts --%s, and says that it has no effect', async (name, value) => {
    const folder = mkdtempSync(join(tmpdir(), 'accepted-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const logOf = async (flags: string, file: string): Promise<string> => {
      await run(`proxy --id a.b${flags} --log_target ${join(folder, file)}`);
      return readFileSync(join(folder, file), 'utf8');
    };
    expect(await logOf(` --${name}${value}`, 'with')).toMatch(
      new RegExp(`\\tinfo\\t.*flag is accepted and has no effect\\tflag=--${name}`),
    );
    expect(await logOf('', 'without')).not.toContain('no effect');
  });

  test('knows every flag of the specification', async () => {
    const commands = ['proxy', 'version', 'istio-iptables', 'istio-clean-iptables'];
    for (const { command, flags } of readSpecificationFlags(commands.map((name) => `pilot-agent ${name}`))) {
      const { stdout } = await run(`${command} --help`);
      const shown = new Map(
        stdout
          .split(/^ {2}(?=-)/m)
          .map((text) => text.replace(/\s+/g, ' '))
          .map((text) => [/--[\w-]+/.exec(text)?.[0], text]),
      );
      for (const flag of flags) {
        const text = shown.get(flag.name) ?? '';
        const [, meaning = ''] = /^(?:-\w, )?--[\w-]+(?: <[^>]*>)? (.*?)(?: [[(]|$)/.exec(text) ?? [];
        expect([command, flag.name, meaning.length > 10]).toEqual([command, flag.name, true]);
        if (flag.default.startsWith('$')) expect(text).toContain(`[${flag.default.slice(1)}]`);
        else if (flag.default !== '') expect(text).toContain(`(default: ${flag.default})`);
      }
    }
  });

  test.each(['Workload', 'Configuration', 'Certificates', 'Envoy', 'Life cycle', 'Logging'])(
    'groups the flags of proxy: %s',
    async (group) => {
      expect((await run('proxy --help')).stdout).toMatch(new RegExp(`^${group}:\n  -`, 'm'));
    },
  );

  test('names the variables of the agent in the help of proxy', async () => {
    const { stdout } = await run('proxy --help');
    for (const { name, effect } of agentVariables) {
      expect(stdout).toMatch(new RegExp(`^  ${name} +${effect.slice(0, 20).replaceAll(/[|.]/g, '.')}`, 'm'));
    }
  });

  test.each(['PROXY_USER', 'DNS_CAPTURE', 'DNS_AGENT'])('names %s in the help of istio-iptables', async (name) => {
    expect((await run('istio-iptables --help')).stdout).toMatch(new RegExp(`^  ${name} `, 'm'));
  });

  test.each(['istio-iptables -b * -i *', 'istio-clean-iptables'])('prints with %s -n what would run', async (line) => {
    for (const flags of ['-n', '--dry-run=true', '--dry-run']) {
      const { code, stdout } = await run(`${line} ${flags}`);
      expect(code).toBe(0);
      expect(stdout).toMatch(/^iptables-restore --noflush --wait=30 <<'END'\n\*/m);
    }
  });

  test.each([
    'ip -6 addr del ::6/128 dev lo',
    'ip -4 rule del fwmark 1337 lookup 133 protocol 213',
    'ip -6 route del local default dev lo table 133 proto 213',
  ])('shows %s in a dry run of the clean-up', async (line) => {
    expect((await run('istio-clean-iptables -n')).stdout.split('\n')).toContain(line);
  });

  test.each<[string, Readonly<Record<string, string>>, RegExp]>([
    ['-p 1', { PROXY_PORT: '2' }, /-j REDIRECT --to-ports 1$/m],
    ['', { PROXY_PORT: '2' }, /-j REDIRECT --to-ports 2$/m],
    ['', { PROXY_PORT: '' }, /-j REDIRECT --to-ports 15001$/m],
    ['--mesh-service-cidr=', { MESH_SERVICE_CIDR: '*' }, /-d 127.0.0.1\/32 -j RETURN\nCOMMIT/],
    ['-f=false', { RESTORE_FORMAT: 'true' }, /^iptables -t nat -N MESH_REDIRECT$/m],
    ['', { RESTORE_FORMAT: '0' }, /^iptables -t nat -N MESH_REDIRECT$/m],
    ['', { DNS_CAPTURE: 'x' }, /--to-destination 127.0.0.1:15013$/m],
    ['-d 80', {}, /^# warning: --mesh-local-exclude-ports has no effect: not all inbound ports are captured$/m],
    ['--run-validation --probe-timeout 1m', {}, /^# then a probe to port 15002, for at most 60000 ms$/m],
  ])('takes for istio-iptables -n %s %j', async (flags, environment, expected) => {
    const { code, stdout } = await run(`istio-iptables -n ${flags}`, environment);
    expect(stdout).toMatch(expected);
    expect(code).toBe(0);
  });

  test('prefers the flag to the variable, also if the flag is false', async () => {
    const { stdout } = await run('istio-iptables -n --skip-rule-apply=false', { SKIP_RULE_APPLY: 'true' });
    expect(stdout).toContain('MESH_REDIRECT');
    expect((await run('istio-iptables -n', { SKIP_RULE_APPLY: 'true' })).stdout).toBe('');
  });

  test.each([
    ['--log_target', '/dev/null/a.log'],
    ['--log_rotate', '/dev/null/a.log'],
    // Where Node's own way to make a folder and those above it never ends.
    ['--log_rotate', '/proc/nowhere/b/a.log'],
  ])('says with 3 that %s %s names no file that can be written', async (flag, path) => {
    const { code, stderr } = await run(`istio-iptables ${flag} ${path}`);
    expect(stderr).toMatch(`pilot-agent: cannot write the log to "${path}"`);
    expect(code).toBe(3);
  });

  test('exits with 3 after an environment error, and names the file', async () => {
    const { code, stderr } = await run('proxy --id a.b --policies . --proxyBinary /no/such/envoy');
    expect(stderr).toContain('--proxyBinary names "/no/such/envoy"');
    expect(code).toBe(3);
  });
});

describe('foldBooleans', () => {
  test('takes the form with a value for flags that have none', () => {
    expect(foldBooleans(['--short=false', '--log_as_json=true', '--id=a.b'])).toEqual(['--log_as_json', '--id=a.b']);
    expect(foldBooleans(['--dry-run=0', '-n=T', '-f=false', '-t=1'])).toEqual([
      '--no-dry-run',
      '-n',
      '--no-restore-format',
      '-t=1',
    ]);
  });
});

describe('unsupportedVariables', () => {
  test('names none that is in the table of the agent: all are obeyed', () => {
    const environment = Object.fromEntries(agentVariables.map(({ name }) => [name, 'asked for']));
    expect(unsupportedVariables(environment)).toEqual([]);
  });
});

describe('formatVersion', () => {
  test('has four forms', () => {
    expect(formatVersion({})).toMatch(/^version\.BuildInfo\{Version:"[^"]+", GitRevision:"[^"]+", GolangVersion:/);
    expect(formatVersion({ short: true })).toMatch(/^\S+\n$/);
    const { clientVersion } = JSON.parse(formatVersion({ output: 'json', short: true })) as { clientVersion: object };
    expect(Object.keys(clientVersion)).toEqual(['version', 'revision', 'golang_version', 'status', 'tag']);
    const keys = [...formatVersion({ output: 'yaml' }).matchAll(/^ {2}(\w+):/gm)].map(([, key]) => key);
    expect(keys).toEqual(['golang_version', 'revision', 'status', 'tag', 'version']);
  });
});
