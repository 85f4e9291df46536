package io.github.distlock.smoke;

import org.springframework.boot.autoconfigure.SpringBootApplication;

/**
 * An application with four stores of locks, a database, and the actuator.
 */
@SpringBootApplication
public class SmokeApplication {

}
