package io.github.distlock.lab;

import io.github.distlock.lab.runs.Catalogue;

/**
 * The program that uses the lab. The lab knows classes of it by their names only.
 *
 * @param mainClass its main class, which the lab starts again in other processes, with
 * the role as the first argument: {@code inventory} for a node; {@code redis} and
 * {@code zookeeper} lead back to {@link Lab#main}
 * @param orderService a configuration class with the order service, which the lab serves
 * in its own JVM, with the profile {@code orders}
 * @param strategies what can be tried
 */
public record Program(String mainClass, String orderService, Catalogue strategies) {

}
