/** Annotation of any object that tells the linter which findings are meant; nothing else reads it. */
export const lintAnnotation = 'lint.mesh.io/ignore';
