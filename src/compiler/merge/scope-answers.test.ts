import { describe, expect, test } from 'vitest';
import { ScopeAnswers } from './scope-answers.ts';

/** Compilations that follow each other: each asks for the lists of its scopes, and gives the scopes whose list was made. */
function compilations() {
  let answers: ScopeAnswers<object> | undefined;
  const elements = [{}, {}];
  return (isSame: boolean, scopes: readonly string[]) => {
    answers = new ScopeAnswers(answers, isSame);
    const made: string[] = [];
    const make = (scope: string) => {
      made.push(scope);
      return [...elements];
    };
    const lists = scopes.map((scope) => answers?.of(scope, () => make(scope)));
    return { made, lists };
  };
}

describe('answers for client scopes', () => {
  test('are made once a compilation, and again only where what they come of has changed', () => {
    const compile = compilations();
    expect(compile(false, ['a', 'a', 'b']).made).toEqual(['a', 'b']);
    expect(compile(true, ['a', 'b']).made).toEqual([]);
    expect(compile(false, ['a', 'b']).made).toEqual(['a', 'b']);
  });

  test('are the same list as before where its elements are', () => {
    const compile = compilations();
    const [before] = compile(false, ['a']).lists;
    expect(compile(false, ['a']).lists[0]).toBe(before);
  });

  test('of a scope that is gone are kept no longer', () => {
    const compile = compilations();
    const [before] = compile(false, ['a']).lists;
    compile(true, ['b']);
    const { made, lists } = compile(true, ['a']);
    expect(made).toEqual(['a']);
    expect(lists[0]).not.toBe(before);
  });

  test('outlive a compilation that fails before it asks, and no change that comes with it', () => {
    const compile = compilations();
    const [before] = compile(false, ['a']).lists;
    compile(true, []);
    expect(compile(true, ['a']).made).toEqual([]);
    compile(false, []);
    const { made, lists } = compile(true, ['a']);
    expect(made).toEqual(['a']);
    expect(lists[0]).toBe(before);
  });
});
