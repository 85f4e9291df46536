package io.github.distlock.sample.launcher;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import tools.jackson.databind.json.JsonMapper;

/**
 * The demonstration's result.
 *
 * @param orders orders of each strategy
 * @param stock units for sale in each strategy
 * @param nodes inventory nodes
 * @param runs one for each strategy
 */
record Report(int orders, int stock, int nodes, List<StrategyRun> runs) {

	Report {
		runs = List.copyOf(runs);
	}

	/**
	 * Whether the distributed lock sold every unit once and the other strategies showed
	 * the bug.
	 */
	boolean provesTheLock() {
		return this.runs.stream()
			.allMatch((run) -> run.strategy().equals(Strategies.LOCKED) ? run.isRight(this.orders, this.stock)
					: run.showsBug());
	}

	String toJson() {
		return JsonMapper.builder().build().writeValueAsString(this);
	}

	/**
	 * Write the report as JSON, in place of an older one.
	 * @param file where to
	 * @throws IOException if it cannot be written
	 */
	void write(Path file) throws IOException {
		Path folder = file.getParent();
		if (folder != null) {
			Files.createDirectories(folder);
		}
		Files.writeString(file, toJson() + "\n");
	}

}
