import { describe, expect, test } from 'vitest';
import { readWebhookPath } from './webhook-path.ts';

describe('readWebhookPath', () => {
  test.each([
    ['/validate', { webhook: 'validate', location: {} }],
    ['/inject', { webhook: 'inject', location: {} }],
    ['/inject/cluster/west-1', { webhook: 'inject', location: { cluster: 'west-1' } }],
    ['/inject/cluster/west-1/net/n.1', { webhook: 'inject', location: { cluster: 'west-1', network: 'n.1' } }],
    ['/inject/net/n/cluster/c', { webhook: 'inject', location: { cluster: 'c', network: 'n' } }],
  ])('reads %s', (path, expected) => {
    expect(readWebhookPath(path)).toEqual(expected);
  });

  test.each([
    ['/', /no such webhook/],
    ['/constructor', /no such webhook/],
    ['/validate/cluster/c', /no such webhook/],
    ['inject', /no such webhook/],
    ['/inject/', /neither "cluster" nor "net"/],
    ['/inject/zone/z', /"zone" in the path is neither/],
    ['/inject/constructor/z', /neither/],
    ['/inject/cluster', /no name after "cluster"/],
    ['/inject/cluster/', /no name after "cluster"/],
    ['/inject/cluster/a%2fb', /no name after "cluster"/],
    ['/inject/cluster/a/cluster/b', /"cluster" twice/],
    [`/inject/cluster/${'a'.repeat(129)}`, /no name after "cluster"/],
  ])('refuses %s', (path, reason) => {
    expect(readWebhookPath(path)).toMatch(reason);
  });
});
