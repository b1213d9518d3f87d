import { describe, expect, test } from 'vitest';
import { statusRoute } from './status-route.ts';

const local = { remoteAddress: '127.0.0.1', localAddress: '127.0.0.1' };
const remote = { remoteAddress: '10.0.0.9', localAddress: '10.0.0.1' };

describe('statusRoute', () => {
  test.each([
    ['/healthz/ready', { ask: 'ready' }],
    ['/healthz/ready?probe=1', { ask: 'ready' }],
    ['/app-health/app/livez?x=/a/b', { ask: 'probe', path: '/app-health/app/livez' }],
    ['/app-health/nobody/knows', { ask: 'probe', path: '/app-health/nobody/knows' }],
    ['/stats/prometheus', { ask: 'metrics', query: '' }],
    ['/stats/prometheus?usedonly&x=?', { ask: 'metrics', query: 'usedonly&x=?' }],
  ])('takes GET %s from anybody', (target, route) => {
    expect(statusRoute('GET', target, remote)).toEqual(route);
    expect(statusRoute('HEAD', target, local)).toEqual(route);
    expect(statusRoute('POST', target, local)).toMatchObject({ status: 405, allow: 'GET, HEAD' });
  });

  test.each([
    '/',
    '*',
    '',
    '//healthz/ready',
    '/healthz/ready/',
    '/healthz//ready',
    '/healthz/./ready',
    '/healthz/ready#x',
    '/healthz/ready;x',
    '/healthz/%72eady',
    '/HEALTHZ/ready',
    'http://localhost/healthz/ready',
    '/healthz/ready/../../quitquitquit',
    '/healthz/ready/%2e%2e/quitquitquit',
    '/quitquitquit/',
    '//quitquitquit',
    '/%71uitquitquit',
    '/quitquitquit%3f',
    '/drain/..',
    '/stats',
    '/config_dump',
    '/stats/prometheus/../config_dump',
    '/stats/prometheus/%2e%2e/config_dump',
    '/stats/prometheus/',
  ])('knows no path %s, however it would be cleaned up', (target) => {
    for (const method of ['GET', 'POST']) expect(statusRoute(method, target, local)).toMatchObject({ status: 404 });
  });

  test.each([
    ['/drain', 'drain'],
    ['/quitquitquit', 'quit'],
    ['/quitquitquit?now', 'quit'],
  ])('takes POST %s from this pod alone: 403 comes before 405', (target, ask) => {
    expect(statusRoute('POST', target, local)).toEqual({ ask });
    for (const method of ['GET', 'HEAD', 'post', 'PUT']) {
      expect(statusRoute(method, target, local)).toMatchObject({ status: 405, allow: 'POST' });
    }
    for (const method of ['GET', 'POST']) expect(statusRoute(method, target, remote)).toMatchObject({ status: 403 });
  });

  test.each<[string, string, boolean]>([
    ['127.0.0.1', '127.0.0.1', true],
    ['127.8.9.10', '127.0.0.1', true],
    ['::1', '::1', true],
    ['::ffff:127.0.0.1', '::ffff:127.0.0.1', true],
    ['::FFFF:127.3.2.1', '::ffff:127.0.0.1', true],
    // From here Envoy calls for whoever called it.
    ['127.0.0.6', '127.0.0.1', false],
    ['::ffff:127.0.0.6', '::ffff:127.0.0.1', false],
    ['::6', '::1', false],
    ['127.0.0.1', '10.0.0.1', false],
    ['10.0.0.1', '10.0.0.1', false],
    ['::ffff:10.0.0.1', '127.0.0.1', false],
    ['128.0.0.1', '127.0.0.1', false],
    ['127.0.0.1.example', '127.0.0.1', false],
    ['::127.0.0.1', '::1', false],
    ['fe80::1', 'fe80::1', false],
  ])('takes a connection from %s to %s for one of this pod: %s', (remoteAddress, localAddress, isLocal) => {
    const route = statusRoute('POST', '/quitquitquit', { remoteAddress, localAddress });
    expect(route).toMatchObject(isLocal ? { ask: 'quit' } : { status: 403 });
  });

  test('treats a connection that has ended already as one from outside the pod', () => {
    expect(statusRoute('POST', '/drain', {})).toMatchObject({ status: 403 });
  });
});
