package io.github.distlock.model;

import java.util.ArrayList;
import java.util.Arrays;
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

	/** Return the new number of a JVM. */
	int jvm(int jvm) {
		return this.newEntries[jvm * this.entries.length / this.jvms.length] * this.jvms.length / this.entries.length;
	}

	static Renaming none(int entries, int jvms) {
		int[] same = IntStream.range(0, entries).toArray();
		return new Renaming(same, same, IntStream.range(0, jvms).toArray());
	}

	static List<Renaming> all(int jvms, int entriesPerJvm) {
		List<Renaming> renamings = new ArrayList<>();
		List<int[]> inside = permutations(entriesPerJvm);
		for (int[] order : permutations(jvms)) {
			List<int[]> entries = List.of(new int[0]);
			for (int jvm : order) {
				entries = append(entries, jvm * entriesPerJvm, inside);
			}
			entries.forEach((each) -> renamings.add(new Renaming(each, inverse(each), order)));
		}
		return renamings;
	}

	private static List<int[]> append(List<int[]> heads, int offset, List<int[]> orders) {
		List<int[]> all = new ArrayList<>();
		for (int[] head : heads) {
			for (int[] order : orders) {
				int[] longer = Arrays.copyOf(head, head.length + order.length);
				for (int i = 0; i < order.length; i++) {
					longer[head.length + i] = offset + order[i];
				}
				all.add(longer);
			}
		}
		return all;
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
