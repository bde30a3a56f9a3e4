/** Packs the tables of the module in a folder, and writes down where they are. */
export declare function packTables(folder: string): void;
