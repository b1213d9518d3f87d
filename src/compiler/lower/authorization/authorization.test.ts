import { describe, expect, test } from 'vitest';
import * as make from '../../../testing/objects.ts';
import { authorizationFilter } from './authorization.ts';
import { anyPort } from './chain-ports.ts';

describe('authorizationFilter', () => {
  const context = { carries: 'http', ports: anyPort, trustDomains: ['td'] } as const;
  const tried = { name: 'shop/tried', annotations: { 'mesh.io/dry-run': 'true' } };

  test('is there when a policy asks for the action, also when nothing can match', () => {
    const policy = make.authorizationPolicy('shop/p', {});
    expect(authorizationFilter([policy], 'ALLOW', context)).toMatchObject({ action: 'ALLOW', policies: [] });
    expect(authorizationFilter([policy], 'DENY', context)).toBeUndefined();
  });

  test('enforces nothing when every policy is only tried', () => {
    const filter = authorizationFilter([make.authorizationPolicy(tried, { rules: [{}] })], 'ALLOW', context);
    expect(filter?.policies).toBeUndefined();
    expect(filter?.shadow).toMatchObject({
      policies: [{ name: 'ns[shop]-policy[tried]-rule[0]' }],
      statPrefix: 'mesh_dry_run_allow_',
    });
  });

  test('keeps tried policies apart from those in force, and only logs for AUDIT', () => {
    const policies = [
      make.authorizationPolicy(tried, { action: 'AUDIT', rules: [{}] }),
      make.authorizationPolicy('shop/p', { action: 'AUDIT', rules: [{}] }),
    ];
    const filter = authorizationFilter(policies, 'AUDIT', context);
    expect(filter?.action).toBe('LOG');
    expect(filter?.policies?.map(({ name }) => name)).toEqual(['ns[shop]-policy[p]-rule[0]']);
    expect(filter?.shadow?.policies).toHaveLength(1);
  });
});
