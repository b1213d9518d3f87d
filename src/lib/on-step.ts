/**
 * Is told how far long work is: `compiling proxy`, 12, 300. It is called at each step, and decides what of that is shown.
 */
export type OnStep = (what: string, done: number, total?: number) => void;
