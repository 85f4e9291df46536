package io.github.distlock.model;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A renaming of the JVMs, and of the entries inside each JVM. States that differ only by
 * a renaming are one state.
 *
 * @param entries the old index of the entry at each new index
 * @param newEntries the new index of each entry
 * @param jvms the old index of the JVM at each new index
 */
record Renaming(int[] entries, int[] newEntries, int[] jvms) {

	/** Return the new name of a ticket. Zero means no ticket. */
	int ticket(int ticket) {
		return (ticket == 0) ? 0
				: ModelTicket.of(this.newEntries[ModelTicket.entry(ticket)], ModelTicket.number(ticket));
	}

	int jvm(int jvm) {
		return this.newEntries[jvm * this.entries.length / this.jvms.length] * this.jvms.length / this.entries.length;
	}

	static Renaming none(int entries, int jvms) {
		int[] same = IntStream.range(0, entries).toArray();
		return new Renaming(same, same, IntStream.range(0, jvms).toArray());
	}

	static List<Renaming> all(int jvms, int entriesPerJvm) {
		return permutations(jvms * entriesPerJvm).stream()
			.map((entries) -> new Renaming(entries, inverse(entries),
					IntStream.range(0, jvms).map((jvm) -> entries[jvm * entriesPerJvm] / entriesPerJvm).toArray()))
			.filter(Renaming::keepsJvmsTogether)
			.toList();
	}

	private boolean keepsJvmsTogether() {
		int entriesPerJvm = this.entries.length / this.jvms.length;
		return IntStream.range(0, this.entries.length)
			.allMatch((entry) -> this.entries[entry] / entriesPerJvm == this.jvms[entry / entriesPerJvm]);
	}

	private static int[] inverse(int[] order) {
		int[] inverse = new int[order.length];
		for (int i = 0; i < order.length; i++) {
			inverse[order[i]] = i;
		}
		return inverse;
	}

	private static List<int[]> permutations(int size) {
		List<int[]> all = List.of(new int[0]);
		for (int i = 0; i < size; i++) {
			List<int[]> longer = new ArrayList<>();
			for (int[] each : all) {
				for (int place = 0; place <= each.length; place++) {
					int[] next = new int[each.length + 1];
					System.arraycopy(each, 0, next, 0, place);
					next[place] = i;
					System.arraycopy(each, place, next, place + 1, each.length - place);
					longer.add(next);
				}
			}
			all = longer;
		}
		return all;
	}

}
