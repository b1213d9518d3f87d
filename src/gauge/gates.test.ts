import { describe, expect, test } from 'vitest';
import { gatesBootstrap } from './gates.ts';

const pair = { certificateChain: 'chain', privateKey: 'key', rootCertificate: 'root' };
const secrets = { server: pair, strangeRoot: 'strange', tokenKey: { kid: 'own' } };
const types = 'type.googleapis.com/envoy.extensions';

/** The only gate of a listener with these fields, as Envoy gets it. */
function gateOf(fields: object) {
  const listener = { name: 'in', address: { socket_address: { address: '0.0.0.0', port_value: 15006 } }, ...fields };
  const config = { bootstrap: { layered_runtime: { layers: [] } }, listeners: [listener], clusters: [], routes: [] };
  const { static_resources, layered_runtime } = gatesBootstrap([{ key: 'k', listener: 'in', config }], secrets) as {
    readonly static_resources: { readonly listeners: readonly Record<string, unknown>[]; readonly secrets: object[] };
    readonly layered_runtime: object;
  };
  return { gate: static_resources.listeners[0] ?? {}, secrets: static_resources.secrets, layered_runtime };
}

describe('gatesBootstrap', () => {
  test('listens on loopback, and reads addresses from the PROXY header in place of the original destination', () => {
    const original = { name: 'o', typed_config: { '@type': `${types}.filters.listener.original_dst.v3.OriginalDst` } };
    const inspector = {
      name: 'i',
      typed_config: { '@type': `${types}.filters.listener.tls_inspector.v3.TlsInspector` },
    };
    const { gate, layered_runtime } = gateOf({
      use_original_dst: true,
      bind_to_port: false,
      listener_filters: [original, inspector],
    });
    expect(gate).toMatchObject({ address: { socket_address: { address: '127.0.0.1', port_value: 0 } } });
    expect(Object.keys(gate)).not.toEqual(expect.arrayContaining(['use_original_dst']));
    expect(Object.keys(gate)).not.toEqual(expect.arrayContaining(['bind_to_port']));
    expect(gate.listener_filters).toEqual([
      { name: 'gate', typed_config: { '@type': `${types}.filters.listener.proxy_protocol.v3.ProxyProtocol` } },
      inspector,
    ]);
    expect(layered_runtime).toEqual({ layers: [] });
  });

  test('lets rules about the direct peer read the address of the PROXY header', () => {
    const block = { address_prefix: '10.0.0.0', prefix_len: 8 };
    const { gate } = gateOf({ filter_chains: [{ principals: [{ direct_remote_ip: block }, { remote_ip: block }] }] });
    expect(gate.filter_chains).toEqual([{ principals: [{ source_ip: block }, { remote_ip: block }] }]);
  });

  test('adds its own key to each key set, and leaves a text that is none', () => {
    const sets = (text: string) =>
      gateOf({ filter_chains: [{ local_jwks: { inline_string: text } }] }).gate.filter_chains;
    expect(sets('{"keys": [{"kid": "a"}]}')).toEqual([
      { local_jwks: { inline_string: '{"keys":[{"kid":"a"},{"kid":"own"}]}' } },
    ]);
    expect(sets('none')).toEqual([{ local_jwks: { inline_string: 'none' } }]);
  });

  test('puts a secret into the bootstrap for each name, and only the root of the mesh has signed clients', () => {
    const config = (name: string) => ({ name, sds_config: { path: '/x' } });
    const { secrets: made, gate } = gateOf({
      filter_chains: [
        {
          tls_certificate_sds_secret_configs: [config('default')],
          validation_context_sds_secret_config: config('ROOTCA'),
        },
        { validation_context_sds_secret_config: config('edge-cacert'), crl: { filename: '/etc/certs/crl.pem' } },
      ],
    });
    expect(JSON.stringify(gate)).not.toContain('sds_config"');
    expect(JSON.stringify(gate)).not.toContain('filename');
    expect(made).toEqual([
      {
        name: 'default',
        tls_certificate: { certificate_chain: { inline_string: 'chain' }, private_key: { inline_string: 'key' } },
      },
      { name: 'ROOTCA', validation_context: { trusted_ca: { inline_string: 'root' } } },
      { name: 'edge-cacert', validation_context: { trusted_ca: { inline_string: 'strange' } } },
    ]);
  });
});
