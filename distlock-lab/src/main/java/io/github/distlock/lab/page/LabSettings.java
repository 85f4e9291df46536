package io.github.distlock.lab.page;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import io.github.distlock.lab.runs.Catalogue;
import io.github.distlock.lab.runs.Runs;
import io.github.distlock.lab.servers.StockReader;

/**
 * What the lab needs from the launcher.
 *
 * @param port where the page is to be served, on loopback
 * @param nodes addresses of the inventory nodes, in the order of their names
 * @param records the file of records of each node, by the node's name
 * @param folder folder to which the lab may write
 * @param logs folder of the logs
 * @param runs starts the runs
 * @param stock reads the stock from the database
 * @param properties Spring properties of the command line
 * @param orderService name of the configuration class with the order service
 * @param strategies what can be tried
 */
public record LabSettings(int port, List<URI> nodes, Map<String, Path> records, Path folder, Path logs, Runs runs,
		StockReader stock, Map<String, String> properties, String orderService, Catalogue strategies) {

	public LabSettings {
		nodes = List.copyOf(nodes);
		records = Map.copyOf(records);
		properties = Map.copyOf(properties);
	}

	/**
	 * Starts the lab in this JVM.
	 */
	@FunctionalInterface
	public interface Starter {

		/**
		 * Start the lab, and return when the page is served.
		 * @param settings what it needs
		 */
		void start(LabSettings settings);

	}

}
