import { expect, test } from 'vitest';
import { encodeMessage } from '../../envoy/api/encode.ts';
import { configurationTypes } from '../../xds/aggregated-service.ts';
import { contentVersion } from '../../xds/resource.ts';
import { ResourceStore } from '../../xds/resource-store.ts';
import { secretTypeUrl } from '../../xds/secret-service.ts';
import { AcknowledgedConfiguration } from './acknowledged.ts';

test('a stream remembers the resources that it acknowledged last, and no secrets', () => {
  const { listeners } = configurationTypes;
  const store = new ResourceStore(listeners);
  const serve = (name: string): void => {
    const body = encodeMessage('envoy.config.listener.v3.Listener', { name });
    store.replace([{ name, version: contentVersion(name), body }]);
  };
  const proxy = { namespace: 'foo', name: 'web', serviceAccount: 'web' };
  const stream = { owner: { proxy, identity: '', envoyVersion: '' }, sourceOf: () => store };
  const acknowledged = new AcknowledgedConfiguration();
  const shown = () => acknowledged.of('foo/web');

  expect(shown()).toBeUndefined();
  serve('first');
  acknowledged.opened(stream);
  expect(shown()).toMatchObject({ streams: [{}] });
  acknowledged.complete(stream, listeners.typeUrl);
  acknowledged.complete(stream, secretTypeUrl);
  serve('second');
  const one = (name: string) => ({ name, version: contentVersion(name), resource: { name } });
  expect(shown()).toEqual({ format: 1, proxy: 'foo/web', streams: [{ listeners: [one('first')] }] });
  acknowledged.complete(stream, listeners.typeUrl);
  expect(shown()).toMatchObject({ streams: [{ listeners: [one('second')] }] });
  acknowledged.closed(stream);
  expect(shown()).toBeUndefined();
});
