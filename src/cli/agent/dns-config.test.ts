import { describe, expect, test } from 'vitest';
import type { AgentSettings } from '../../config/agent-settings.ts';
import { defaultSettings } from '../../config/defaults.ts';
import { readAgentSettings } from '../../config/read-agent-settings.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { dnsConfigOf } from './dns-config.ts';

const warnings: string[] = [];
const log = { warn: (message: string) => void warnings.push(message) };
const agentSettings = (environment: Readonly<Record<string, string>>): AgentSettings =>
  readAgentSettings(environment, new DiagnosticBag());

function configOf(environment: Readonly<Record<string, string>>, domain?: string) {
  const proxy = { ...defaultSettings.proxy, discoveryAddress: 'meshd.example:15012' };
  return dnsConfigOf(agentSettings(environment), { ...defaultSettings, proxy }, domain, log);
}

describe('dnsConfigOf', () => {
  test.each([
    [{ host: 'meshd.example', port: 853 }, ''],
    [{ host: 'dns.example', port: 8853 }, 'tcp-tls:dns.example:8853'],
    [{ host: '2001:db8::1', port: 853 }, 'tcp-tls:[2001:db8::1]:853'],
  ])('asks %j with DNS_SERVER "%s"', (server, value) => {
    expect(configOf({ DNS_AGENT: 'on', DNS_SERVER: value })).toMatchObject(server);
  });

  test.each([
    [{}, './var/run/secrets/mesh/root-cert.pem'],
    [{ PILOT_CERT_PROVIDER: 'custom' }, './etc/certs/root-cert.pem'],
  ])(
    'checks the server with the roots that requests for certificates are checked with (%j)',
    (environment, rootPath) => {
      expect(configOf({ DNS_AGENT: 'on', ...environment })).toMatchObject({ rootPath });
    },
  );

  test('takes the domain of the proxy for one of the mesh', () => {
    const { meshSuffixes } = configOf({ DNS_AGENT: 'on' }, 'foo.svc.corp.example') ?? {};
    expect(meshSuffixes).toEqual(['cluster.local', 'corp.example', 'global']);
  });

  test('serves nothing without DNS_AGENT, and says that DNS_SERVER is for nothing then', () => {
    expect(configOf({})).toBeUndefined();
    expect(warnings).toEqual([]);
    expect(configOf({ DNS_SERVER: 'tcp-tls:dns.example:853' })).toBeUndefined();
    expect(warnings).toEqual(['DNS_SERVER has no effect unless DNS_AGENT is set']);
  });
});
