import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { findEnvoy } from './process.ts';
import { validateConfig } from './validate.ts';

const binary = findEnvoy({ env: process.env, repositoryRoot: path.resolve(import.meta.dirname, '../..') });

/** Why PILOT_ENABLE_RELATIONALDB_FILTER is refused and PILOT_ENABLE_TCP_METADATA_EXCHANGE has no effect. */
describe('the released Envoy', () => {
  test.each([
    ['relational database', 'envoy.filters.network.mysql_proxy'],
    ['metadata exchange', 'envoy.filters.network.metadata_exchange'],
  ])('refuses a listener with the filter %s, which it does not have', async (_, name) => {
    const { ok, message } = await validateConfig(binary, bootstrap({ name, typed_config: struct }));
    expect(message).toContain(`'${name}'`);
    expect(message).toContain("Didn't find a registered implementation");
    expect(ok).toBe(false);
  });

  test('accepts the same listener with a filter that it has', async () => {
    const name = 'envoy.filters.network.echo';
    const typed_config = { '@type': 'type.googleapis.com/envoy.extensions.filters.network.echo.v3.Echo' };
    expect(await validateConfig(binary, bootstrap({ name, typed_config }))).toMatchObject({ ok: true });
  });
});

const struct = { '@type': 'type.googleapis.com/google.protobuf.Struct', value: {} };

function bootstrap(filter: object): object {
  const address = { socket_address: { address: '127.0.0.1', port_value: 0 } };
  return { static_resources: { listeners: [{ name: 'l', address, filter_chains: [{ filters: [filter] }] }] } };
}
