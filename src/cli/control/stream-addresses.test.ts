import { describe, expect, test } from 'vitest';
import { streamAddressesOf } from './stream-addresses.ts';

const far = 'xds://config.example:15010';
const files = { configSourceRoots: 'roots.pem' };

describe('streamAddressesOf', () => {
  test.each(['xds://127.0.0.1:15010', 'xds://localhost:15010', 'xds://[::1]:15010'])(
    'reaches %s on this machine in plain text',
    (text) => {
      expect(streamAddressesOf({}, {}, ['fs:///policies', text])).toEqual([
        { address: text.slice('xds://'.length), isIncremental: false, files: undefined },
      ]);
    },
  );

  test('reaches servers over TLS with roots, and asks for changes alone with PILOT_ENABLE_INCREMENTAL_MCP', () => {
    expect(streamAddressesOf(files, { PILOT_ENABLE_INCREMENTAL_MCP: 'true' }, [far])).toEqual([
      {
        ...{ address: 'config.example:15010', isIncremental: true },
        files: { roots: 'roots.pem', certificate: undefined, key: undefined },
      },
    ]);
  });

  test.each<[string, Parameters<typeof streamAddressesOf>, string]>([
    ['plain text over a network', [{}, {}, [far]], 'would send policies in plain text'],
    ['plain text to an address like loopback', [{}, {}, ['xds://127.example:1']], 'would send policies in plain text'],
    [
      'no port',
      [files, {}, ['xds://config.example']],
      'configSources takes xds://HOST:PORT, not "xds://config.example"',
    ],
    ['port 0', [files, {}, ['xds://config.example:0']], 'configSources takes xds://HOST:PORT'],
    ['a path', [files, {}, ['xds://config.example:1/x']], 'configSources takes xds://HOST:PORT'],
    [
      'roots for nothing',
      [files, {}, []],
      '--configSourceRoots has an effect with configSources xds://HOST:PORT alone',
    ],
    [
      'the variable for nothing',
      [{}, { PILOT_ENABLE_INCREMENTAL_MCP: 'true' }, ['fs:///policies']],
      'PILOT_ENABLE_INCREMENTAL_MCP has an effect',
    ],
    ['a certificate without a key', [{ ...files, configSourceCertificate: 'c' }, {}, [far]], 'belong together'],
    [
      'a certificate without roots',
      [{ configSourceCertificate: 'c', configSourceKey: 'k' }, {}, [far]],
      'needs --configSourceRoots',
    ],
  ])('refuses %s', (_, options, message) => {
    expect(() => streamAddressesOf(...options)).toThrow(message);
  });
});
