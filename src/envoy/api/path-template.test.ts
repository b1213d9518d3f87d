import { describe, expect, test } from 'vitest';
import { badTemplates, goodTemplates } from './corpus/templates.ts';
import { templateFault } from './path-template.ts';

describe('templateFault', () => {
  test.each(goodTemplates)('accepts %s', (template) => {
    expect(templateFault(template)).toBeUndefined();
  });

  test.each(badTemplates)('refuses %j', (template) => {
    expect(templateFault(template)).toMatch(/^(has|must) /);
  });
});
