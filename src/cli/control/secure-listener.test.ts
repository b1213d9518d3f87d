import { describe, expect, test } from 'vitest';
import { configOf } from './testing/config-of.ts';

describe('controlConfigOf', () => {
  const services = ['meshd', 'istiod', 'istiod-remote', 'istio-pilot'].map((name) => `${name}.mesh-system.svc`);

  test('serves on 15012 with the usual names, where nothing is said', async () => {
    expect((await configOf({})).secure).toEqual({
      address: { host: '', port: 15012 },
      certificate: { names: services, outputFolder: undefined },
      maxMessageBytes: 4_194_304,
      maxStreams: 100_000,
    });
  });

  test.each<[Readonly<Record<string, string>>, readonly string[]]>([
    [{ MESHD_ADDR: 'meshd.mesh-system.svc:15012' }, services],
    [
      { MESHD_ADDR: '10.0.0.1:15012', MESHD_CUSTOM_HOST: 'a.example.com, b.example.com' },
      ['10.0.0.1', 'a.example.com', 'b.example.com', ...services],
    ],
    [{ MESHD_ADDR: '[fd00::1]:15012' }, ['fd00::1', ...services]],
    [{ NAMESPACE: 'here' }, services.map((name) => name.replace('mesh-system', 'here'))],
    [{ MESH_NAMESPACE: 'here' }, services.map((name) => name.replace('mesh-system', 'here'))],
  ])('takes the names of %j', async (environment, names) => {
    expect((await configOf(environment)).secure?.certificate.names).toEqual(names);
  });

  test('has no TLS listener where MESHD_ADDR is set and empty, but where --listen asks for it', async () => {
    expect((await configOf({ MESHD_ADDR: '' })).secure).toBeUndefined();
    expect((await configOf({ MESHD_ADDR: '' }, { listen: { host: '', port: 1 } })).secure?.address.port).toBe(1);
  });

  test('has neither authority nor listener where ENABLE_CA_SERVER is false, but with a certificate of the operator', async () => {
    expect(await configOf({ ENABLE_CA_SERVER: 'false' })).toMatchObject({ authority: undefined, secure: undefined });
    const own = await configOf({ ENABLE_CA_SERVER: 'false', PILOT_CERT_PROVIDER: 'custom', PILOT_CERT_DIR: '/certs' });
    expect(own.secure?.certificate).toEqual({ folder: '/certs' });
  });

  test.each<[Readonly<Record<string, string>>, object]>([
    [{ PILOT_CERT_DIR: '/certs' }, { outputFolder: '/certs' }],
    [{ PILOT_CERT_PROVIDER: './here' }, { folder: './here' }],
    [{ PILOT_CERT_PROVIDER: 'custom', PILOT_CERT_DIR: '/certs' }, { folder: '/certs' }],
  ])('keeps its certificate where %j says', async (environment, expected) => {
    expect((await configOf(environment)).secure?.certificate).toMatchObject(expected);
  });

  test('takes limits of the listener, and the trust domain, from variables', async () => {
    const config = await configOf({ MESH_GPRC_MAXRECVMSGSIZE: '1000', MESH_GPRC_MAXSTREAMS: '7', TRUST_DOMAIN: 'td' });
    expect(config).toMatchObject({ trustDomain: 'td', secure: { maxMessageBytes: 1000, maxStreams: 7 } });
  });
});
