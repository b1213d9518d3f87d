import { describe, expect, test } from 'vitest';
import type { CorsPolicy } from '../../policy/virtual-service.ts';
import type { Report } from '../rule.ts';
import { checkCors } from './cors.ts';

function told(policy: CorsPolicy): string[] {
  const codes: string[] = [];
  const report: Report = (code) => codes.push(code);
  checkCors(policy, ['corsPolicy'], report);
  return codes;
}

describe('checkCors', () => {
  test.each([
    { exact: '*' },
    { prefix: '' },
    { prefix: 'http' },
    { prefix: 'https://' },
    { regex: '.*' },
    { regex: '^.+$' },
    { regex: 'https?://.*' },
    { regex: '^(https?|http)://.*$' },
  ])('warns of %j with credentials', (origin) => {
    expect(told({ allowOrigins: [origin], allowCredentials: true })).toEqual(['credentials-for-every-origin']);
    expect(told({ allowOrigins: [origin] })).toEqual([]);
  });

  test('warns of the older form too, and of no origin that is named', () => {
    expect(told({ allowOrigin: ['*'], allowCredentials: true })).toEqual(['credentials-for-every-origin']);
    const origins = [{ exact: 'https://a.example' }, { prefix: 'https://a' }, { regex: 'https://[a-z]+\\.example' }];
    expect(told({ allowOrigins: origins, allowCredentials: true })).toEqual([]);
  });
});
