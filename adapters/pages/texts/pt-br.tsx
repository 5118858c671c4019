// Placeholder that the next commit replaces with the texts of this language.
import { en } from './en.js';

export const ptBr = en;
