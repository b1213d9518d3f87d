import { describe, expect, test } from 'vitest';
import { readRequest, readTarget } from './reading.ts';

describe('readTarget', () => {
  test.each([
    ['/admin', '/admin', '/admin'],
    ['/admin?x', '/admin', '/admin'],
    ['/admin#x', '/admin', '/admin'],
    ['http://h//admin', '/admin', '/admin'],
    ['/./x/..//%61dmin', '/admin', '/admin'],
    ['/x%2f..%5cadmin', '/admin', '/admin'],
    ['/admin%00.txt', '/admin', '/admin'],
    ['/admin/', '/admin/', '/admin'],
    ['/admin/.', '/admin/', '/admin'],
    ['/Admin', '/Admin', '/admin'],
    ['/admin;v=1', '/admin;v=1', '/admin'],
    ['/x/..;/admin', '/x/..;/admin', '/admin'],
    ['/%2561dmin', '/%61dmin', '/%61dmin'],
    ['/%c0%afadmin', '/\u00c0\u00afadmin', '/\u00e0\u00afadmin'],
    ['/', '/', '/'],
    ['*', '/*', '/*'],
  ])('%s is %s, and %s to a forgiving application', (target, resource, alike) => {
    expect(readTarget(target)).toEqual({ resource, alike });
  });
});

describe('readRequest', () => {
  test('cuts authorities to their host, and headers to their values', () => {
    const reading = readRequest('post', '/', 'user@ADMIN.example.:8000', ['X-Role', ' user, admin', 'x-role', 'Other']);
    expect(reading).toMatchObject({
      method: 'POST',
      host: 'admin.example',
      headers: { 'x-role': ['user', 'admin', 'Other'] },
    });
  });
});
