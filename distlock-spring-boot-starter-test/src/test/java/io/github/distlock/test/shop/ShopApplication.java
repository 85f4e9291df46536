package io.github.distlock.test.shop;

import org.springframework.boot.autoconfigure.SpringBootApplication;

/**
 * The application.
 */
@SpringBootApplication
class ShopApplication {

}
