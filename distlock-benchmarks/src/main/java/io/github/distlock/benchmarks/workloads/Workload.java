package io.github.distlock.benchmarks.workloads;

import java.util.List;

import io.github.distlock.benchmarks.contenders.Contender;
import io.github.distlock.benchmarks.report.Chapter;

/**
 * One thing to measure.
 */
public interface Workload {

	/**
	 * Return what the report says of it.
	 * @return name, description and columns
	 */
	Chapter chapter();

	/**
	 * Return who is measured.
	 * @param selected those that the user wants
	 * @return those of them that can be measured in it, or those that it is made for
	 */
	List<Contender> among(List<Contender> selected);

	/**
	 * Measure. Blocks until all rounds are done.
	 * @param bench what is needed
	 * @param contenders whom {@link #among} returned
	 */
	void run(Bench bench, List<Contender> contenders);

}
