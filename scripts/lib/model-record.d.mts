/** The text of the record of a model's folder. */
export declare function modelRecord(folder: string): string;
