package io.github.distlock.benchmarks.report;

import java.util.List;

/**
 * What the report says of one workload.
 *
 * @param id what it is called
 * @param description who locks what
 * @param reference the contender that others are compared with
 * @param primary what is compared
 * @param columns what else is shown
 */
public record Chapter(String id, String description, String reference, Metric primary, List<Metric> columns) {

	/**
	 * Return a chapter of another name.
	 * @param name what it is called
	 * @param addition what is added to the description
	 * @return the chapter
	 */
	public Chapter named(String name, String addition) {
		return new Chapter(name, this.description + addition, this.reference, this.primary, this.columns);
	}

	/**
	 * Return the same chapter with another reference.
	 * @param contender the contender that others are compared with
	 * @return the chapter
	 */
	public Chapter against(String contender) {
		return new Chapter(this.id, this.description, contender, this.primary, this.columns);
	}

}
