/**
 * The page of the lab, which shows runs while they are carried out, and starts them. It
 * reads the records of the inventory nodes and the database, turns them into the events
 * of a run, and sends these to all open pages.
 * {@link io.github.distlock.lab.page.LabServer} is the entry, for the program's main
 * class.
 */
@NullMarked
package io.github.distlock.lab.page;

import org.jspecify.annotations.NullMarked;
